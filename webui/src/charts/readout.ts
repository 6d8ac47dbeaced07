// What stands below a chart while somebody points at a curve.
import { metric } from '../lib/format';
import type { Column, Curve, XAxis } from './curves';

export const readoutOf = (name: string, x: number, value: number, axis: XAxis): string => `${name} · ${axis === 'batches' ? `batch ${x}` : new Date(x * 1000).toLocaleString()} · ${metric(value)}`;

// `focused`: the column of the data that is pointed at, of which the first are the x values; `at`: the place in it. Empty where there is no value.
export function readout(curves: readonly Curve[], data: readonly [readonly number[], ...Column[]], axis: XAxis, focused: number | null, at: number | null | undefined): string {
  if (focused === null || at === null || at === undefined) return '';
  const x = data[0][at];
  const value = data[focused]?.[at];
  if (x === undefined || value === null || value === undefined) return '';
  return readoutOf(curves[focused - 1]?.name ?? '', x, value, axis);
}
