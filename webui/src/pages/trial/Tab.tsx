import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import { trialQuery } from '../../api/queries';
import { Checkpoints } from '../../components/Checkpoints';
import { Empty, Loaded, Loading } from '../../components/states';
import { isOver } from '../../lib/state';
import { LogView } from './LogView';
import { Metrics } from './Metrics';

const Yaml = lazy(() => import('../../components/Yaml'));

export function Tab() {
  const { id, tab } = useParams({ from: '/trials/$id/$tab' });
  const query = useQuery(trialQuery(Number(id)));
  return (
    <Loaded query={query} what="the trial">
      {({ trial }) => {
        if (!trial) return null;
        switch (tab) {
          case 'metrics': return <Metrics trial={trial} />;
          case 'logs': return <LogView key={id} trial={Number(id)} isOver={isOver(trial.state ?? '')} />;
          case 'hyperparameters': return <section className="card"><Suspense fallback={<Loading what="hyperparameters" />}><Yaml label="Hyperparameters" value={trial.hparams ?? {}} /></Suspense></section>;
          case 'checkpoints': return <Checkpoints kind="trial" id={Number(id)} />;
          default: return <Empty title="There is no such part of a trial">Choose one above.</Empty>;
        }
      }}
    </Loaded>
  );
}
