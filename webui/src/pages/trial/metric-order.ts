// The metrics of a trial, in the order in which one looks for them.
import type { Trial } from '../../api/queries';

// The server names the two usual groups as old clients know them.
const group = (name: string) => ({ avg_metrics: 'training', validation_metrics: 'validation' })[name] ?? name;
const kLong = 20_000;  // reports

export interface Metric { id: string; isLong: boolean }

// What the search looks for first, then what was validated, then the rest; by name among themselves.
export function metricsOf({ summaryMetrics }: Pick<Trial, 'summaryMetrics'>, searched: string): Metric[] {
  const rank = ({ id }: Metric) => (id === `validation.${searched}` ? 0 : id === `training.${searched}` ? 1 : id.startsWith('validation.') ? 2 : 3);
  return Object.entries(summaryMetrics ?? {}).flatMap(([name, metrics]) => Object.entries(metrics ?? {})
    .filter(([, summary]) => summary?.type === undefined || summary.type === 'number').map(([one, summary]) => ({ id: `${group(name)}.${one}`, isLong: (summary?.count ?? 0) > kLong })))
    .sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}
