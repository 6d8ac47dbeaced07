// What a part of an experiment shows first is asked for while its code is on its way, and while a person still points at the link: behind its
// heading it would wait for the experiment's answer and for what is drawn of it.
import type { QueryClient } from '@tanstack/react-query';
import type { Experiment } from '../../api/queries';
import { experimentCurvesQuery, experimentQuery, metricNamesQuery } from '../../api/queries';
import { allTrialsQuery, firstTrialsQuery } from '../../api/trials';
import type { TabSearch } from './address';

// The metric whose curves an experiment of several trials nearly always shows first, before it is known which were reported.
const likelyMetric = (experiment: Experiment | undefined): string | undefined =>
  (experiment?.searcherMetric && (experiment.numTrials ?? 0) > 1 ? `validation.${experiment.searcherMetric}` : undefined);

// Curves are of the metric that the search looks for, which only the experiment's answer tells; an old one tells it as well as a new one.
async function askForCurves(queries: QueryClient, id: number, asked: string | undefined, axis: TabSearch['axis']): Promise<void> {
  const metric = asked ?? likelyMetric((await queries.ensureQueryData(experimentQuery(id))).experiment);
  if (metric !== undefined) await queries.prefetchQuery(experimentCurvesQuery(id, metric, axis ?? 'batches'));
}

export function askAhead(queries: QueryClient, id: number, tab: string, { metric, axis }: Pick<TabSearch, 'metric' | 'axis'>): void {
  if (tab === 'overview') {
    void queries.prefetchQuery(metricNamesQuery(id));
    askForCurves(queries, id, metric, axis).catch(() => {});  // the page asks for the experiment itself, and says why it fails
  }
  if (tab === 'trials' && queries.getQueryData(allTrialsQuery(id).queryKey) === undefined) void queries.prefetchQuery(firstTrialsQuery(id));
}
