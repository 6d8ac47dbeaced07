// Trials as the drawings need them: flat hyperparameters, and a metric of their best validation.
import { replaceEqualDeep } from '@tanstack/react-query';
import type { Trial } from '../../../api/queries';
import type { Axis, Row } from './axes';
import { axesOf, axisOf, flat, kMetricAxis, kinds } from './axes';

const bestOf = (trial: Trial) => (trial.bestValidation?.metrics?.avgMetrics ?? {}) as Record<string, unknown>;

// Names of metrics that are numbers in some trial's best validation.
export function metricsOf(trials: readonly Trial[]): string[] {
  const found = new Set<string>();
  for (const trial of trials) for (const [name, value] of Object.entries(bestOf(trial))) if (typeof value === 'number') found.add(name);
  return [...found].sort();
}

// The metric against which all is drawn: the one that the address names where there is that, else the one that is searched for, else the first.
export const goalOf = (asked: string | undefined, names: readonly string[], searched: string): string => [asked, searched].find((one) => one !== undefined && names.includes(one)) ?? names[0] ?? searched;

export const rowsOf = (trials: readonly Trial[], metric: string): Row[] => trials.flatMap((trial) => {
  const value = bestOf(trial)[metric];
  return typeof value === 'number' && Number.isFinite(value) ? [{ trial: trial.id ?? 0, values: flat(trial.hparams ?? {}), metric: value }] : [];
});

// `scale`: the axis of the metric.
export interface Drawn { rows: Row[]; axes: Axis[]; scale: Axis }
// `space`: the hyperparameters of the configuration. What is as it was `before` is the same object, so that nothing of it is drawn anew: trials are
// asked for again and again, and mostly a few of them have changed, or none.
export function drawnOf(trials: readonly Trial[], metric: string, space: Record<string, unknown>, before?: Drawn): Drawn {
  const rows = rowsOf(trials, metric);
  return replaceEqualDeep(before, { rows, axes: axesOf(rows, kinds(space)), scale: axisOf(kMetricAxis, rows.map((row) => row.metric)) }) as Drawn;
}
