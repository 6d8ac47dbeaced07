import type { Trial } from '../../api/queries';
import { flat } from './hyperparameters/axes';

const isNested = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);

// Trials whose nested hyperparameters have names with dots, as columns have them. Where nothing is nested it is the same trial: there may be thousands.
export const flatTrials = (trials: readonly Trial[]): Trial[] => trials.map((trial) => (
  trial.hparams && Object.values(trial.hparams).some(isNested) ? { ...trial, hparams: flat(trial.hparams) } : trial
));

// The hyperparameters in which trials differ: those that say something about them. Values are looked at until two differ, and written out only where
// they are not one and the same.
export function varied(trials: readonly { hparams?: Record<string, unknown> }[]): string[] {
  const first = new Map<string, unknown>();
  const found = new Set<string>();
  for (const { hparams } of trials) {
    for (const name in hparams) {
      const value = hparams[name];
      if (!first.has(name)) first.set(name, value);
      else if (!found.has(name) && value !== first.get(name) && JSON.stringify(value) !== JSON.stringify(first.get(name))) found.add(name);
    }
  }
  return [...found].sort();
}
