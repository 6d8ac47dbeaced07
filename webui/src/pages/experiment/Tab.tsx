import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import { experimentQuery } from '../../api/queries';
import { Checkpoints } from '../../components/Checkpoints';
import { Empty, Loaded, Loading } from '../../components/states';
import { Configuration } from './Configuration';
import { Notes } from './Notes';
import { Overview } from './Overview';
import { Trials } from './Trials';

const CodeTab = lazy(() => import('./code/CodeTab'));
const Fork = lazy(() => import('./actions/Fork'));
const Logs = lazy(() => import('./Logs'));
const HyperparametersTab = lazy(() => import('./hyperparameters/HyperparametersTab'));
const SearchTab = lazy(() => import('./search/SearchTab'));

export function Tab() {
  const { id, tab } = useParams({ from: '/experiments/$id/$tab' });
  const query = useQuery(experimentQuery(Number(id)));
  return (
    <Loaded query={query} what="the experiment">
      {({ experiment }) => {
        if (!experiment) return null;
        switch (tab) {
          case 'overview': return <Overview key={id} experiment={experiment} />;
          case 'search': return <Suspense fallback={<Loading what="the search" />}><SearchTab key={id} experiment={experiment} changed={query.dataUpdatedAt} /></Suspense>;
          case 'hyperparameters': return <Suspense fallback={<Loading what="hyperparameters" />}><HyperparametersTab key={id} experiment={experiment} changed={query.dataUpdatedAt} /></Suspense>;
          case 'trials': return <Trials key={id} experiment={experiment} changed={query.dataUpdatedAt} />;
          case 'config': return <Configuration key={id} experiment={experiment} />;
          case 'checkpoints': return <Checkpoints key={id} kind="experiment" id={Number(id)} />;
          case 'code': return <Suspense fallback={<Loading what="the code" />}><CodeTab key={id} experiment={experiment} /></Suspense>;
          case 'logs': return <Suspense fallback={<Loading what="the log" />}><Logs key={id} experiment={experiment} /></Suspense>;
          case 'fork': return <Suspense fallback={<Loading what="the editor" />}><Fork key={id} experiment={experiment} /></Suspense>;
          case 'notes': return <Notes key={id} experiment={experiment} />;
          default: return <Empty title="There is no such part of an experiment">Choose one above.</Empty>;
        }
      }}
    </Loaded>
  );
}
