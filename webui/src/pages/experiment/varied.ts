import type { Trial } from '../../api/queries';
import { flat } from './hyperparameters/axes';

// Trials whose nested hyperparameters have names with dots, as columns have them.
export const flatTrials = (trials: readonly Trial[]): Trial[] => trials.map((trial) => ({ ...trial, hparams: flat(trial.hparams ?? {}) }));

// The hyperparameters in which trials differ: those that say something about them.
export function varied(trials: readonly { hparams?: Record<string, unknown> }[]): string[] {
  const seen = new Map<string, Set<string>>();
  for (const { hparams } of trials) {
    for (const [name, value] of Object.entries(hparams ?? {})) {
      if (!seen.has(name)) seen.set(name, new Set());
      seen.get(name)!.add(JSON.stringify(value));
    }
  }
  return [...seen].filter(([, values]) => values.size > 1).map(([name]) => name).sort();
}
