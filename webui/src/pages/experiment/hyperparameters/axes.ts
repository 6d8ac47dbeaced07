// Hyperparameters as axes: linear, logarithmic where the search draws on a logarithmic scale, or one place for each of several values.
import { metric } from '../../../lib/format';
import { once } from '../../../lib/once';

export type Flat = Record<string, unknown>;
export interface Row { trial: number; values: Flat; metric: number }
// `hasOthers`: its last category stands for all values that have none of their own.
export interface Axis { name: string; kind: 'linear' | 'log' | 'category'; min: number; max: number; categories: string[]; isWhole?: boolean; hasOthers?: boolean }

// {net: {width: 3}} as net.width. Lists are values.
export function flat(values: Record<string, unknown>, before = '', into: Flat = {}): Flat {
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) flat(value as Record<string, unknown>, `${before}${name}.`, into);
    else into[before + name] = value;
  }
  return into;
}

// What the configuration says of each: double, int, log, categorical or const.
export function kinds(space: Record<string, unknown>, before = '', into: Record<string, string> = {}): Record<string, string> {
  for (const [name, value] of Object.entries(space)) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) continue;
    const type = (value as Record<string, unknown>)['type'];
    if (typeof type === 'string') into[before + name] = type;
    else kinds(value as Record<string, unknown>, `${before}${name}.`, into);
  }
  return into;
}

const collator = once(() => new Intl.Collator('en', { numeric: true }));  // not at once: see lib/format.ts
export const compareCategories = (one: string, other: string): number => collator().compare(one, other);
export const categoryOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value) ?? 'none');
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export function axisOf(name: string, values: readonly unknown[], type?: string): Axis {
  // Where a search chooses from a list, null is one of its values; elsewhere it is none.
  const there = values.filter((value) => value !== undefined && (value !== null || type === 'categorical'));
  if (type === 'categorical' || !there.every(isNumber)) {
    const categories = [...new Set(there.map(categoryOf))].sort(compareCategories);
    return { name, kind: 'category', min: 0, max: categories.length - 1, categories };
  }
  let min = Infinity;
  let max = -Infinity;
  for (const value of there as number[]) { min = Math.min(min, value); max = Math.max(max, value); }
  return { name, kind: type === 'log' && min > 0 ? 'log' : 'linear', min, max, categories: [], isWhole: type !== 'log' && there.every(Number.isInteger) };
}

// Those in which trials differ, in the order of their names.
export function axesOf(rows: readonly Row[], types: Record<string, string>): Axis[] {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))].sort();
  return names.map((name) => axisOf(name, rows.map(({ values }) => values[name]), types[name])).filter(({ kind, min, max, categories }) => (kind === 'category' ? categories.length > 1 : max > min));
}

// By a map: a text may have another value in each of ten thousand trials.
const kIndexes = new WeakMap<readonly string[], ReadonlyMap<string, number>>();
function indexOf({ categories, hasOthers }: Axis, value: unknown): number {
  if (value === undefined) return -1;
  const index = kIndexes.get(categories) ?? new Map(categories.map((one, i) => [one, i] as const).reverse());
  kIndexes.set(categories, index);
  return index.get(categoryOf(value)) ?? (hasOthers && value !== null ? categories.length - 1 : -1);
}

// From 0 (the least) to 1; undefined where the trial has no such value.
export function placeOn(axis: Axis, value: unknown): number | undefined {
  const { kind, min, max, categories } = axis;
  if (kind === 'category') {
    const at = indexOf(axis, value);
    return at < 0 ? undefined : categories.length === 1 ? 0.5 : at / (categories.length - 1);
  }
  if (!isNumber(value)) return undefined;
  if (max === min) return 0.5;
  return kind === 'log' ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
}

// Of an axis of numbers.
export const valueAt = ({ kind, min, max }: Axis, place: number): number => (kind === 'log' ? min * (max / min) ** place : min + (max - min) * place);

// What stands at `place`, as people read it.
export function textAt(axis: Axis, place: number): string {
  if (axis.kind === 'category') return axis.categories[Math.round(place * (axis.categories.length - 1))] ?? '';
  return metric(valueAt(axis, place));
}

// Places with their texts: all values of a category where they are few, else the ends and what is between.
export function ticks(axis: Axis, most = 5): { at: number; text: string }[] {
  const count = axis.kind === 'category' ? Math.min(axis.categories.length, 12) : most;
  if (count <= 1) return [{ at: 0.5, text: textAt(axis, 0) }];
  if (axis.isWhole) {
    const values = new Set(Array.from({ length: count }, (_, i) => Math.round(axis.min + ((axis.max - axis.min) * i) / (count - 1))));
    return [...values].map((value) => ({ at: placeOn(axis, value) ?? 0, text: metric(value) }));
  }
  return Array.from({ length: count }, (_, i) => ({ at: i / (count - 1), text: textAt(axis, i / (count - 1)) }));
}

export const kMetricAxis = ' metric';  // no hyperparameter's name begins with a space of its own here

// How good a metric is among those of `axis`: 0 is the best.
export const badness = (axis: Axis, value: number, isSmallerBetter: boolean) => {
  const at = placeOn(axis, value) ?? 1;
  return isSmallerBetter ? at : 1 - at;
};

const kMostPlaces = 40;  // of a field: more of them nobody can tell apart
// An axis of few categories: the most frequent, and one for all others.
export function fewest(rows: readonly Row[], axis: Axis): Axis {
  if (axis.kind !== 'category' || axis.categories.length <= kMostPlaces) return axis;
  const counts = new Map<string, number>();
  for (const { values } of rows) {
    const name = categoryOf(values[axis.name]);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...axis.categories].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0)).slice(0, kMostPlaces - 1).sort(compareCategories);
  return { ...axis, max: most.length, categories: [...most, 'others'], hasOthers: true };
}

// The mean metric of the trials in each of `count` times `count` fields of two axes; undefined where there is none.
export function field(rows: readonly Row[], x: Axis, y: Axis, count: number): { mean: number; trials: number }[][] {
  const cells = Array.from({ length: sizeOf(y, count) }, () => Array.from({ length: sizeOf(x, count) }, () => ({ mean: 0, trials: 0 })));
  for (const row of rows) {
    const across = placeOn(x, row.values[x.name]);
    const up = placeOn(y, row.values[y.name]);
    if (across === undefined || up === undefined) continue;
    const cell = cells[binOf(up, sizeOf(y, count), y)]![binOf(across, sizeOf(x, count), x)]!;
    cell.mean += (row.metric - cell.mean) / (cell.trials += 1);
  }
  return cells;
}
const sizeOf = ({ kind, categories }: Axis, count: number) => (kind === 'category' ? categories.length : count);
const binOf = (at: number, size: number, { kind }: Axis) => (kind === 'category' ? Math.round(at * (size - 1)) : Math.min(size - 1, Math.floor(at * size)));
