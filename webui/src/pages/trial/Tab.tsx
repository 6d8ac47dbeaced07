import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import { trialQuery } from '../../api/queries';
import { Checkpoints } from '../../components/Checkpoints';
import { Empty, Loaded, Loading } from '../../components/states';
import { isOver } from '../../lib/state';
import { LogView } from './LogView';
import { Metrics } from './Metrics';

const Yaml = lazy(() => import('../../components/Yaml'));
const RunsTab = lazy(() => import('./runs/RunsTab'));
const SystemTab = lazy(() => import('./system/SystemTab'));

function Logs({ trial, restarts, isEnded }: { trial: number; restarts: number; isEnded: boolean }) {
  const search = useSearch({ from: '/trials/$id/$tab' });
  const navigate = useNavigate({ from: '/trials/$id/$tab' });
  return <LogView trial={trial} restarts={restarts} isOver={isEnded} search={search} change={(part) => void navigate({ search: (before) => ({ ...before, ...part }), replace: part.line === undefined, resetScroll: false })} />;
}

export function Tab() {
  const { id, tab } = useParams({ from: '/trials/$id/$tab' });
  const query = useQuery(trialQuery(Number(id)));
  return (
    <Loaded query={query} what="the trial">
      {({ trial }) => {
        if (!trial) return null;
        switch (tab) {
          case 'metrics': return <Metrics key={id} trial={trial} />;
          case 'logs': return <Logs key={id} trial={Number(id)} restarts={trial.restarts ?? 0} isEnded={isOver(trial.state ?? '')} />;
          case 'hyperparameters': return <section className="card"><Suspense fallback={<Loading what="hyperparameters" />}><Yaml label="Hyperparameters" value={trial.hparams ?? {}} /></Suspense></section>;
          case 'runs': return <Suspense fallback={<Loading what="the runs" />}><RunsTab key={id} trial={trial} /></Suspense>;
          case 'system': return <Suspense fallback={<Loading what="system metrics" />}><SystemTab key={id} trial={trial} /></Suspense>;
          case 'checkpoints': return <Checkpoints key={id} kind="trial" id={Number(id)} />;
          default: return <Empty title="There is no such part of a trial">Choose one above.</Empty>;
        }
      }}
    </Loaded>
  );
}
