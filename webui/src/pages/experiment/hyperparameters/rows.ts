// Trials as the drawings need them: flat hyperparameters, and a metric of their best validation.
import type { Trial } from '../../../api/queries';
import type { Row } from './axes';
import { flat } from './axes';

const bestOf = (trial: Trial) => (trial.bestValidation?.metrics?.avgMetrics ?? {}) as Record<string, unknown>;

// Names of metrics that are numbers in some trial's best validation.
export function metricsOf(trials: readonly Trial[]): string[] {
  const found = new Set<string>();
  for (const trial of trials) for (const [name, value] of Object.entries(bestOf(trial))) if (typeof value === 'number') found.add(name);
  return [...found].sort();
}

export const rowsOf = (trials: readonly Trial[], metric: string): Row[] => trials.flatMap((trial) => {
  const value = bestOf(trial)[metric];
  return typeof value === 'number' && Number.isFinite(value) ? [{ trial: trial.id ?? 0, values: flat(trial.hparams ?? {}), metric: value }] : [];
});
