// What is chosen on each axis, as values: places move whenever a trial comes that widens the scale.
import type { Axis, Row } from './axes';
import { categoryOf, compareCategories, kMetricAxis, placeOn, valueAt } from './axes';

// Numbers, of which an end that is not named is open, or categories by their order.
export type Kept = { min?: number; max?: number } | { from: string; to: string };
export type Brushes = Record<string, Kept>;

const kNear = 1e-9;  // what a value differs by on its way to a place and back

// What lies from one place of the axis to another; undefined where that is all of it.
export function keptOf(axis: Axis, [low, high]: readonly [number, number]): Kept | undefined {
  if (low <= 0 && high >= 1) return undefined;
  if (axis.kind !== 'category') return { ...(low > 0 && { min: valueAt(axis, low) }), ...(high < 1 && { max: valueAt(axis, high) }) };
  const last = axis.categories.length - 1;
  const from = Math.ceil(low * last - kNear);
  const to = Math.floor(high * last + kNear);
  // Between two of them it is the nearer one.
  const near = Math.round(((low + high) / 2) * last);
  return { from: axis.categories[from <= to ? from : near] ?? '', to: axis.categories[from <= to ? to : near] ?? '' };
}

// Where that is on the axis as it is now; undefined where it is not on it.
export function placesOf(axis: Axis, kept: Kept): [number, number] | undefined {
  if ('from' in kept) {
    if (axis.kind !== 'category') return undefined;
    const inside = axis.categories.filter((one) => compareCategories(one, kept.from) >= 0 && compareCategories(one, kept.to) <= 0);
    return inside.length > 0 ? [placeOn(axis, inside[0]) ?? 0, placeOn(axis, inside[inside.length - 1]) ?? 1] : undefined;
  }
  if (axis.kind === 'category') return undefined;
  const within = (value: number | undefined, otherwise: number) => Math.min(1, Math.max(0, (value === undefined ? undefined : placeOn(axis, value)) ?? otherwise)) || 0;
  return [within(kept.min, 0), within(kept.max, 1)];
}

function has(kept: Kept, value: unknown): boolean {
  if ('from' in kept) {
    if (value === undefined) return false;
    const name = categoryOf(value);
    return compareCategories(name, kept.from) >= 0 && compareCategories(name, kept.to) <= 0;
  }
  if (typeof value !== 'number') return false;
  const { min = -Infinity, max = Infinity } = kept;
  return value >= min - Math.abs(min) * kNear && value <= max + Math.abs(max) * kNear;
}

export const isIn = (row: Row, axes: readonly Axis[], brushes: Brushes): boolean => axes.every(({ name }) => {
  const kept = brushes[name];
  return kept === undefined || has(kept, name === kMetricAxis ? row.metric : row.values[name]);
});

// The address has brushes of several metrics, by name; those of `goal` are on the axis.
const keyOf = (axis: string, goal: string) => (axis === kMetricAxis ? `${kMetricAxis} ${goal}` : axis);
export function brushesOf(all: Brushes, goal: string): Brushes {
  const { [keyOf(kMetricAxis, goal)]: ofMetric, ...rest } = all;
  return ofMetric ? { ...rest, [kMetricAxis]: ofMetric } : rest;
}
export function withBrush(all: Brushes, axis: string, goal: string, kept: Kept | undefined): Brushes {
  const { [keyOf(axis, goal)]: _gone, ...rest } = all;
  return kept ? { ...rest, [keyOf(axis, goal)]: kept } : rest;
}

const kMostLetters = 1000;
// From an address, which comes from anybody.
export function readBrushes(value: unknown): Brushes | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const found: Brushes = {};
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) continue;
    const { min, max, from, to } = one as Record<string, unknown>;
    const isNumbers = (min !== undefined || max !== undefined) && [min, max].every((end) => end === undefined || (typeof end === 'number' && Number.isFinite(end)));
    if (isNumbers) found[name] = { ...(min !== undefined && { min: min as number }), ...(max !== undefined && { max: max as number }) };
    else if (typeof from === 'string' && typeof to === 'string' && from.length <= kMostLetters && to.length <= kMostLetters) found[name] = { from, to };
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
