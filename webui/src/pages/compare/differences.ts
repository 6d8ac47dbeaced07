// In which settings several things differ.
import { flat } from '../experiment/hyperparameters/axes';

export interface Difference { name: string; values: string[] }
const text = (value: unknown) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value));

export function differences(all: readonly Record<string, unknown>[]): Difference[] {
  const flats = all.map((one) => flat(one));
  const names = [...new Set(flats.flatMap((one) => Object.keys(one)))].sort();
  return names.map((name) => ({ name, values: flats.map((one) => text(one[name])) })).filter(({ values }) => new Set(values).size > 1);
}
