// The head of a trial, above its tabs.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { trialQuery } from '../../api/queries';
import { Heading } from '../../components/Heading';
import { Tabs } from '../../components/Tabs';
import { RelativeTime, StateBadge } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { bytes, duration, metric } from '../../lib/format';
import { isNumber } from '../../lib/numbers';
import { isOver } from '../../lib/state';
import { useInterval, useLive } from '../../live/client';

const kTabs = [['metrics', 'Metrics'], ['logs', 'Logs'], ['runs', 'Runs'], ['system', 'System'], ['hyperparameters', 'Hyperparameters'], ['checkpoints', 'Checkpoints']] as const;

export function TrialPage() {
  const { id } = useParams({ from: '/trials/$id' });
  return isNumber(id) ? <Known key={id} id={Number(id)} /> : <Empty isPage title="There is no such trial">Trials have numbers, such as 12.</Empty>;
}

function Known({ id }: { id: number }) {
  useLive(`trial:${id}`);
  const interval = useInterval(true);
  const query = useQuery({ ...trialQuery(id), refetchInterval: ({ state }) => (isOver(state.data?.trial?.state ?? '') ? false : interval) });
  return (
    <Loaded query={query} what="the trial" isPage>
      {({ trial }) => trial && (
        <>
          <section className="card stack">
            <div className="cluster">
              <Heading title={`Trial ${id}`} /><StateBadge state={trial.state ?? ''} />
              <span className="soft">of <Link to="/experiments/$id/$tab" params={{ id: String(trial.experimentId), tab: 'overview' }}>experiment {trial.experimentId}</Link></span>
            </div>
            <dl className="facts">
              <div><dt>Metric</dt><dd className="number">{metric(trial.searcherMetricValue)}</dd></div>
              <div><dt>Batches</dt><dd className="number">{trial.totalBatchesProcessed}</dd></div>
              <div><dt>Started</dt><dd><RelativeTime time={trial.startTime} /></dd></div>
              <div><dt>Time in runs</dt><dd>{typeof trial.wallClockTime === 'number' ? duration(trial.wallClockTime) : '–'}</dd></div>
              <div><dt>Restarts</dt><dd className="number">{trial.restarts}</dd></div>
              <div><dt>Checkpoints</dt><dd>{trial.checkpointCount} ({bytes(trial.totalCheckpointSize ?? 0)})</dd></div>
            </dl>
          </section>
          <Tabs to="/trials/$id/$tab" id={String(id)} tabs={kTabs} />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
