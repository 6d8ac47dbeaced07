// The head of an experiment, above its tabs.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { Experiment } from '../../api/queries';
import { experimentQuery } from '../../api/queries';
import { Heading } from '../../components/Heading';
import { LastError } from '../../components/LastError';
import { Tabs } from '../../components/Tabs';
import { Labels, Progress, RelativeTime, StateBadge, useMinute } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { duration, metric } from '../../lib/format';
import { isNumber } from '../../lib/numbers';
import { isOver } from '../../lib/state';
import { useInterval, useLive } from '../../live/client';
import { Waits } from './Waits';
import { Actions } from './actions/Actions';

const kTabs = [['overview', 'Overview'], ['search', 'Search'], ['hyperparameters', 'Hyperparameters'], ['trials', 'Trials'], ['logs', 'Logs'], ['code', 'Code'], ['config', 'Configuration'], ['checkpoints', 'Checkpoints'], ['notes', 'Notes']] as const;

// Why: the last that its programs wrote to stderr, and where the rest stands.
function HasFailed({ id, ended }: { id: number; ended: string | null | undefined }) {
  return (
    <div className="notice bad" role="group" aria-label="Why it failed">
      <LastError experiment={id} ended={ended} otherwise="Its programs wrote nothing to stderr." />
      <Link to="/experiments/$id/$tab" params={{ id: String(id), tab: 'logs' }}>All of its log</Link>
    </div>
  );
}

function Head({ experiment }: { experiment: Experiment }) {
  useMinute();
  const { id, name, description, state, progress, labels, startTime, endTime, searcherMetric, bestTrialSearcherMetric, bestTrialId, forkedFrom } = experiment;
  const seconds = (Date.parse(endTime ?? new Date().toISOString()) - Date.parse(startTime ?? '')) / 1000;
  return (
    <section className="card stack">
      <div className="spread">
        <div className="cluster"><Heading title={`${name} #${id}`}>{name}</Heading><StateBadge state={state ?? ''} /><span className="soft">#{id}</span><Labels labels={labels ?? []} /></div>
        <Actions experiment={experiment} />
      </div>
      {state === 'STATE_QUEUED' && experiment.jobId && <Waits job={experiment.jobId} />}
      {state === 'STATE_ERROR' && <HasFailed id={id ?? 0} ended={endTime} />}
      {description && <p className="soft">{description}</p>}
      {typeof progress === 'number' && !isOver(state ?? '') && <Progress value={progress} name="Progress" />}
      <dl className="facts">
        <div><dt>Best {searcherMetric}</dt><dd className="number">{bestTrialId && bestTrialSearcherMetric !== undefined ? <Link to="/trials/$id/$tab" params={{ id: String(bestTrialId), tab: 'metrics' }}>{metric(bestTrialSearcherMetric)} by trial {bestTrialId}</Link> : isOver(state ?? '') ? 'None' : 'None yet'}</dd></div>
        <div><dt>Started</dt><dd><RelativeTime time={startTime} /></dd></div>
        <div><dt>{endTime ? 'Took' : 'Since then'}</dt><dd>{duration(seconds)}</dd></div>
        <div><dt>Trials</dt><dd className="number">{experiment.numTrials}</dd></div>
        <div><dt>Search</dt><dd>{experiment.searcherType}</dd></div>
        <div><dt>Owner</dt><dd>{experiment.displayName || experiment.username}</dd></div>
        <div><dt>Project</dt><dd>{experiment.workspaceName} / {experiment.projectName}</dd></div>
        <div><dt>Resource pool</dt><dd>{experiment.resourcePool}</dd></div>
        {forkedFrom ? <div><dt>Forked from</dt><dd><Link to="/experiments/$id/$tab" params={{ id: String(forkedFrom), tab: 'overview' }}>Experiment {forkedFrom}</Link></dd></div> : null}
      </dl>
    </section>
  );
}

export function ExperimentPage() {
  const { id } = useParams({ from: '/experiments/$id' });
  return isNumber(id) ? <Known key={id} id={Number(id)} /> : <Empty isPage title="There is no such experiment">Experiments have numbers, such as 12.</Empty>;
}

function Known({ id }: { id: number }) {
  useLive(`experiment:${id}`);
  const interval = useInterval(true);
  const query = useQuery({ ...experimentQuery(id), refetchInterval: ({ state }) => (isOver(state.data?.experiment?.state ?? '') ? false : interval) });
  return (
    <Loaded query={query} what="the experiment" isPage>
      {({ experiment }) => experiment && <><Head experiment={experiment} /><Tabs to="/experiments/$id/$tab" id={String(id)} tabs={kTabs} /><Outlet /></>}
    </Loaded>
  );
}
