// Values of the columns that experiments have of their own: hyperparameters of the configuration, metrics of the best trial.
import { metric } from '../../lib/format';
import type { Row } from './rows';

const kGroups: Record<string, string> = { training: 'avg_metrics', validation: 'validation_metrics' };

// A hyperparameter as the configuration has it: its value, its values, or from where to where it goes.
export function hyperparameterText(space: unknown): string {
  if (space === null || typeof space !== 'object' || Array.isArray(space)) return space === undefined ? '–' : typeof space === 'number' ? metric(space) : typeof space === 'string' ? space : JSON.stringify(space);
  const { type, val, vals, minval, maxval, base } = space as Record<string, unknown>;
  if (type === 'const') return hyperparameterText(val);
  if (type === 'categorical' && Array.isArray(vals)) return vals.map(hyperparameterText).join(', ');
  if (type === 'log') return `${base ?? 10}^${metric(minval)} … ${base ?? 10}^${metric(maxval)}`;
  if (typeof type === 'string' && minval !== undefined) return `${metric(minval)} … ${metric(maxval)}`;
  return JSON.stringify(space);
}

const inside = ({ hyperparameters }: Row, name: string): unknown => name.split('.').reduce<unknown>(
  (space, part) => (space !== null && typeof space === 'object' ? (space as Record<string, unknown>)[part] : undefined), hyperparameters ?? undefined,
);

export const hyperparameterOf = (row: Row, name: string): string => hyperparameterText(inside(row, name));

const kOwn: Record<string, (row: Row) => unknown> = {
  id: ({ id }) => id, name: ({ name }) => name, state: ({ state }) => state, progress: ({ progress }) => progress, metric: ({ bestTrialSearcherMetric }) => bestTrialSearcherMetric,
  metricName: ({ searcherMetric }) => searcherMetric, started: ({ startTime }) => startTime, duration: ({ endTime, duration }) => (endTime ? duration : undefined), trials: ({ numTrials }) => numTrials,
  owner: ({ username }) => username, searcher: ({ searcherType }) => searcherType, labels: ({ labels }) => (labels ?? []).join(' '), pool: ({ resourcePool }) => resourcePool,
  project: ({ projectName }) => projectName, checkpoints: ({ checkpointSize }) => checkpointSize,
};

// What a column shows, as the server says it: for programs, not to be read.
export function rawValue(row: Row, key: string): unknown {
  const own = kOwn[key];
  if (own) return own(row);
  if (!key.startsWith('hp.')) return metricOf(row, key);
  const space = inside(row, key.slice(3));
  const { type, val } = (space ?? {}) as { type?: unknown; val?: unknown };
  const value = type === 'const' ? val : space;
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
}

// `column`: GROUP.NAME.last and so on; the name may have dots.
export function metricOf({ bestTrial }: Row, column: string): unknown {
  const first = column.indexOf('.');
  const last = column.lastIndexOf('.');
  if (first < 0 || last <= first) return undefined;
  const group = column.slice(0, first);
  const summary = bestTrial?.summaryMetrics?.[kGroups[group] ?? group]?.[column.slice(first + 1, last)];
  return (summary as Record<string, unknown> | undefined)?.[column.slice(last + 1)];
}
