// The search itself: its brackets and rungs, which trials reached them, and each decision with its reason.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Experiment } from '../../../api/queries';
import { allTrialsQuery } from '../../../api/trials';
import { Loaded, NotUpToDate } from '../../../components/states';
import { grouped } from '../../../lib/format';
import { useInTurn } from '../../../live/turn';
import { Decisions } from './Decisions';
import { Bracket, Legend } from './Rungs';
import type { Summary } from './replay';
import { replayQuery } from './replay';
import { trainsIn } from './rungs';
import { axisOf, methodWords } from './words';
import './search.css';

function Facts({ summary, method }: { summary: Summary; method: string }) {
  const { create = 0, stop = 0 } = summary.decisions ?? {};
  return (
    <section className="card stack">
      <p>{methodWords(method)}</p>
      <dl className="facts">
        <div><dt>The search</dt><dd>{summary.isOver ? 'is over' : 'goes on'}</dd></div>
        <div><dt>Trials it made</dt><dd className="number">{grouped(create)}</dd></div>
        <div><dt>Trials it told to end</dt><dd className="number">{grouped(stop)}</dd></div>
        <div><dt>Events it heard</dt><dd className="number">{grouped(summary.events ?? 0)}</dd></div>
        <div><dt>Reports that did not count</dt><dd className="number">{grouped(summary.setAside ?? 0)}</dd></div>
      </dl>
    </section>
  );
}

export default function SearchTab({ experiment, changed }: { experiment: Experiment; changed: number }) {
  const id = experiment.id ?? 0;
  const { page } = useSearch({ from: '/experiments/$id/$tab' });
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  const query = useQuery(replayQuery(id));
  useInTurn(['replay', id], changed, query.data?.took ?? 0);
  const all = useQuery(allTrialsQuery(id));
  useInTurn(['all-trials', id], changed, all.data?.took ?? 0);
  const trials = all.data?.trials;
  const trains = useMemo(() => trainsIn(trials), [trials]);
  const searcher = (experiment.config?.['searcher'] ?? {}) as Record<string, unknown>;
  const axis = axisOf(searcher);
  const goal = experiment.searcherMetric ?? 'metric';
  return (
    <Loaded query={query} what="the search">
      {({ summary, difference }) => (
        <>
          {difference && <p className="notice" role="alert">The search's log does not give the same decisions again: {difference}</p>}
          {summary && (
            <>
              <Facts summary={summary} method={experiment.searcherType ?? ''} />
              {summary.brackets && summary.brackets.length > 0 && (
                <>
                  {all.error && (all.data ? <NotUpToDate error={all.error} updated={all.dataUpdatedAt} /> : <p className="notice" role="alert">Which trials still train could not be loaded: {all.error.message}</p>)}
                  <Legend />
                </>
              )}
              {summary.brackets?.map((bracket, i) => <Bracket key={i} bracket={bracket} index={i} axis={axis} goal={goal} trains={trains} />)}
              <Decisions id={id} events={summary.events ?? 0} page={page} goal={goal} axis={axis}
                show={(next) => void navigate({ search: (before) => ({ ...before, page: next }), resetScroll: false })} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
