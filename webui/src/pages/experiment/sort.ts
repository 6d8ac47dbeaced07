// Trials in the order of one of their columns; those without a value, or with one that is no finite number, come last either way.
import type { Trial } from '../../api/queries';

// As it stands in the address: COLUMN=asc or COLUMN=desc. A hyperparameter's name may have any letters.
export const sortText = (column: string, isDown: boolean) => `${column}=${isDown ? 'desc' : 'asc'}`;
export function readSort(text: unknown): { column: string; isDown: boolean } | undefined {
  const found = typeof text === 'string' && text.length <= 1000 ? /^(.+)=(asc|desc)$/s.exec(text) : null;
  return found ? { column: found[1]!, isDown: found[2] === 'desc' } : undefined;
}

// As the server writes what JSON has no number for.
const isNotFinite = (value: unknown) => value === 'NaN' || value === 'Infinity' || value === '-Infinity' || (typeof value === 'number' && !Number.isFinite(value));
const lacks = (value: unknown) => value === undefined || value === null || isNotFinite(value);

export function sortedTrials(trials: readonly Trial[], column: string, isDown: boolean): Trial[] {
  const value = (trial: Trial): unknown => (column.startsWith('hp.') ? trial.hparams?.[column.slice(3)] : (trial as Record<string, unknown>)[column]);
  return [...trials].sort((one, other) => {
    const a = value(one);
    const b = value(other);
    if (lacks(a) || lacks(b)) return Number(lacks(a)) - Number(lacks(b));
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
    return isDown ? -order : order;
  });
}
