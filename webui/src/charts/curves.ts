// Curves as the chart draws them: smoothed, against batches or time.
import { grouped } from '../lib/format';
export interface Point { batches: number; time: string; value: number | null }
export type XAxis = 'batches' | 'time';
// xs: batches, or seconds since 1970, ascending. ys: a value for each of them; null is a gap: what was reported there is no number.
export interface Curve { name: string; xs: readonly number[]; ys: readonly (number | null)[] }

export const finite = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export function curveOf(name: string, points: readonly Point[], axis: XAxis): Curve {
  return { name, xs: points.map(({ batches, time }) => (axis === 'batches' ? batches : Date.parse(time) / 1000)), ys: points.map(({ value }) => value) };
}

// Exponential smoothing with the bias of the first values taken out (as Adam does), weight 0 (none) to below 1. Gaps stay.
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let sum = 0;
  let seen = 0;
  return values.map((value) => {
    if (value === null) return null;
    sum = sum * weight + value * (1 - weight);
    seen += 1;
    return sum / (1 - weight ** seen);
  });
}

const kManyCells = 100_000;  // x values times curves: each of them costs time, also where a curve has no point
export const kColumns = 1500;  // about as many as a chart has pixels

// As it is drawn: a logarithm has a gap where there is none.
export const shown = (value: number | null, isLog: boolean): number | null => (isLog && value !== null && value <= 0 ? null : value);

// Places of few columns, where each curve has its points elsewhere. `isWhole`: places are whole numbers.
function snap(places: readonly number[], isWhole: boolean): (x: number) => number {
  const low = places[0]!;
  const step = (places[places.length - 1]! - low) / kColumns;
  return (x) => {
    const at = low + Math.round((x - low) / step) * step;
    return isWhole ? Math.round(at) : at;
  };
}

// What uPlot draws of a curve at the x values of all: null is a gap, undefined is a place at which only others have a point. The line goes over the latter.
export type Column = (number | null | undefined)[];

// Places of others beside a gap belong to it: else the line would end halfway between two points.
function widenGaps(ys: Column): void {
  for (let i = 1; i < ys.length; i += 1) if (ys[i] === undefined && ys[i - 1] === null) ys[i] = null;
  for (let i = ys.length - 2; i >= 0; i -= 1) if (ys[i] === undefined && ys[i + 1] === null) ys[i] = null;
}

// The x values of all curves together, and each curve's values at them.
export function aligned(curves: readonly Curve[], axis: XAxis, weight: number, isLog: boolean): [number[], ...Column[]] {
  let place = (x: number) => x;
  const all = () => {
    const found = new Set<number>();
    for (const curve of curves) for (const x of curve.xs) found.add(place(x));
    return [...found].sort((a, b) => a - b);
  };
  let xs = all();
  if (xs.length > kColumns && xs.length * curves.length > kManyCells) {
    place = snap(xs, axis === 'batches');
    xs = all();
  }
  const index = new Map(xs.map((x, i) => [x, i]));
  return [xs, ...curves.map((curve) => {
    const ys: Column = new Array<undefined>(xs.length).fill(undefined);
    smoothed(curve.ys, weight).forEach((value, i) => {
      const at = index.get(place(curve.xs[i]!))!;
      const drawn = shown(value, isLog);
      if (drawn !== null || ys[at] === undefined) ys[at] = drawn;
    });
    widenGaps(ys);
    return ys;
  })];
}

// Places of values between two gaps, which no line reaches: they need a mark of their own.
export function alone(ys: Column): number[] {
  const found: number[] = [];
  let before: number | null = null;
  let place = -1;  // of a value behind a gap that nothing has followed yet
  ys.forEach((value, i) => {
    if (value === undefined) return;
    if (value === null && place >= 0) found.push(place);
    place = value !== null && before === null ? i : -1;
    before = value;
  });
  if (place >= 0) found.push(place);
  return found;
}

// In how many places reports are no number. Of several in a row a thinned answer has one, so these are one place.
export const countGaps = (curves: readonly Curve[]): number => curves.reduce((sum, { ys }) => sum + ys.filter((value, i) => value === null && ys[i - 1] !== null).length, 0);
export const gapWords = (count: number) => (count === 1 ? 'In 1 place what was reported is no number, such as NaN: the curve has a gap there.'
  : `In ${grouped(count)} places what was reported is no number, such as NaN: there are gaps.`);
export const hasNumber = (curves: readonly Curve[]) => curves.some(({ ys }) => ys.some((value) => value !== null));

// In place of a chart that has nothing to draw. `isReported`: the metric was, but never with a number.
export function nothingWords(metric: string, isReported: boolean, isUnfinished: boolean): { title: string; text: string } {
  const soon = isUnfinished ? ' The curve shows when a number comes.' : '';
  if (isReported) return { title: 'No number to draw', text: `Whatever was reported of ${metric} is no number, such as NaN.${soon}` };
  return isUnfinished ? { title: 'Nothing was reported yet', text: `The curve shows when a trial reports ${metric}.` } : { title: 'Nothing was reported', text: `No trial reported ${metric} before it ended.` };
}

// The colour of curve `index` of `count`: hues far apart by the golden angle, lightness by the theme.
export function colour(index: number, isDark: boolean): string {
  return `hsl(${(index * 137.508 + 232) % 360} ${isDark ? '75% 70%' : '65% 43%'})`;
}
