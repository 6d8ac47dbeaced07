// Curves as the chart draws them: smoothed, against batches or time.
export interface Point { batches: number; time: string; value: number | null }
export type XAxis = 'batches' | 'time';
// xs: batches, or seconds since 1970, ascending. ys: a value for each of them; null is a gap.
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
const kColumns = 1500;  // about as many as a chart has pixels

// Places of few columns, where each curve has its points elsewhere. `isWhole`: places are whole numbers.
function snap(places: readonly number[], isWhole: boolean): (x: number) => number {
  const low = places[0]!;
  const step = (places[places.length - 1]! - low) / kColumns;
  return (x) => {
    const at = low + Math.round((x - low) / step) * step;
    return isWhole ? Math.round(at) : at;
  };
}

// The x values of all curves together, and each curve's values at them: null where it has none.
export function aligned(curves: readonly Curve[], axis: XAxis, weight: number, isLog: boolean): [number[], ...(number | null)[][]] {
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
    const ys = new Array<number | null>(xs.length).fill(null);
    smoothed(curve.ys, weight).forEach((value, i) => {
      ys[index.get(place(curve.xs[i]!))!] = isLog && value !== null && value <= 0 ? null : value;
    });
    return ys;
  })];
}

// The colour of curve `index` of `count`: hues far apart by the golden angle, lightness by the theme.
export function colour(index: number, isDark: boolean): string {
  return `hsl(${(index * 137.508 + 232) % 360} ${isDark ? '75% 70%' : '65% 43%'})`;
}
