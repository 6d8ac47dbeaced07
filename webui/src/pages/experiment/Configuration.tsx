// The configuration: complete, as it was handed in, what the server filled in, and what is different from the one that it was forked from.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import type { Experiment } from '../../api/queries';
import { Loading } from '../../components/states';

const Yaml = lazy(() => import('../../components/Yaml'));
const FilledIn = lazy(() => import('./ConfigurationDiff').then(({ FilledIn: made }) => ({ default: made })));
const SinceFork = lazy(() => import('./ConfigurationDiff').then(({ SinceFork: made }) => ({ default: made })));

export function Configuration({ experiment }: { experiment: Experiment }) {
  const { view = 'complete' } = useSearch({ from: '/experiments/$id/$tab' });
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  const { forkedFrom } = experiment;
  const views = [['complete', 'Complete'], ['submitted', 'As handed in'], ['filled', 'What was filled in'], ...(forkedFrom ? [['diff', `Changes since experiment ${forkedFrom}`]] as const : [])] as const;
  return (
    <section className="card stack">
      <div className="cluster" role="group" aria-label="Which configuration">
        {views.map(([one, name]) => <button key={one} className="button" aria-pressed={view === one} onClick={() => void navigate({ search: { view: one === 'complete' ? undefined : one }, resetScroll: false })}>{name}</button>)}
      </div>
      <Suspense fallback={<Loading what="the configuration" />}>
        {view === 'filled' ? <FilledIn experiment={experiment} />
          : view === 'diff' && forkedFrom ? <SinceFork experiment={experiment} other={forkedFrom} />
            : <Yaml label="Configuration" value={view === 'submitted' ? experiment.originalConfig ?? '' : experiment.config} />}
      </Suspense>
    </section>
  );
}
