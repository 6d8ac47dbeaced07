// The runs of a trial: a time line of its starts and restarts, why each ended, and its pods.
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../../api/client';
import type { Trial } from '../../../api/queries';
import { experimentQuery } from '../../../api/queries';
import { reasonQuery } from '../../../api/sections';
import { several } from '../../../components/several';
import { RelativeTime, useMinute } from '../../../components/small';
import { Empty, Failure, Loading, NotUpToDate } from '../../../components/states';
import { duration } from '../../../lib/format';
import { isOver } from '../../../lib/state';
import { useInterval } from '../../../live/client';
import { logFieldsQuery } from '../fields';
import type { Run } from './runs';
import { podsOf, reasonWords, runsOf, span } from './runs';
import './runs.css';

function Line({ runs, now }: { runs: readonly Run[]; now: number }) {
  const { from, to } = span(runs, now);
  const percent = (time: number) => (to === from ? 0 : ((time - from) / (to - from)) * 100);
  return (
    <div className="run-line" role="img" aria-label={`${runs.length} ${runs.length === 1 ? 'run' : 'runs'} in ${duration((to - from) / 1000)}`}>
      {runs.map((run) => (
        <div key={run.id} className={`run-bar ${run.tone}`} title={`Run ${run.number}`} style={{ left: `${percent(run.from)}%`, width: `max(6px, ${percent(run.to ?? now) - percent(run.from)}%)` }}>{run.number}</div>
      ))}
    </div>
  );
}

// Why it has no slots, where it waits.
function Waiting({ trial }: { trial: Trial }) {
  const experiment = useQuery(experimentQuery(trial.experimentId ?? 0)).data?.experiment;
  const reason = useQuery({ ...reasonQuery(experiment?.jobId ?? ''), enabled: experiment?.jobId !== undefined }).data;
  const told = reason?.waitingTrials?.find(({ trialId }) => trialId === trial.id)?.message ?? reason?.reason;
  return told ? <p className="notice">It waits: {told}</p> : null;
}

export default function RunsTab({ trial }: { trial: Trial }) {
  useMinute();
  const id = trial.id ?? 0;
  const interval = useInterval(!isOver(trial.state ?? ''));
  const queries = useQueries({
    queries: (trial.taskIds ?? []).map((task) => ({
      queryKey: ['trial', id, 'task', task], refetchInterval: interval,
      queryFn: ({ signal }: { signal: AbortSignal }) => ask('get', '/api/v1/tasks/{id}', { path: { id: task }, signal }),
    })),
  });
  const fields = useQuery(logFieldsQuery(id, trial.restarts ?? 0)).data;
  const { found, gone, isWhole, failed = gone[0], stale } = several(queries);
  if (failed) return <Failure what="The runs" error={failed} again={() => queries.forEach((query) => void query.refetch())} />;
  if (!isWhole) return <Loading what="the runs" />;
  const runs = runsOf(found.flatMap(({ task }) => task?.allocations ?? []));
  const isWaiting = /QUEUED|PULLING|STARTING/.test(trial.state ?? '');
  if (runs.length === 0) return <div className="card"><Empty title="No runs yet">{isWaiting ? 'The first one starts when there are slots for it.' : 'It ended before it got slots.'}</Empty>{isWaiting && <Waiting trial={trial} />}</div>;
  const pods = podsOf(fields?.containerIds ?? []);
  const now = Date.now();
  return (
    <>
      {stale && <NotUpToDate {...stale} />}
      <section className="card stack">
        <h2>{runs.length === 1 ? 'It started once' : `It started ${runs.length} times`}{(trial.restarts ?? 0) > 0 && `, ${trial.restarts} of them after a failure`}</h2>
        {isWaiting && <Waiting trial={trial} />}
        <Line runs={runs} now={now} />
        {(fields?.agentIds ?? []).length > 0 && <p className="soft">Nodes that its log names: {fields?.agentIds?.join(', ')}</p>}
      </section>
      <ol className="runs">
        {runs.map((run) => (
          <li className="card run-card" key={run.id}>
            <div className="spread"><h2>Run {run.number}</h2><span className={`badge ${run.tone}`}>{run.state}</span></div>
            <p>{reasonWords(run)}</p>
            <dl className="facts">
              <div><dt>Started</dt><dd><RelativeTime time={run.started} /></dd></div>
              <div><dt>{run.to === undefined ? 'Runs for' : 'Took'}</dt><dd>{duration(((run.to ?? now) - run.from) / 1000)}</dd></div>
              <div><dt>Slots</dt><dd className="number">{run.slots}</dd></div>
              <div><dt>Exit code</dt><dd className="number">{run.to === undefined ? '–' : run.code ?? '–'}</dd></div>
              <div><dt>Allocation</dt><dd className="mono">{run.id}</dd></div>
              <div><dt>Pods and their logs</dt><dd>{(pods.get(run.number) ?? []).map((pod) => <Link key={pod} className="run-pod mono" to="/trials/$id/$tab" params={{ id: String(id), tab: 'logs' }} search={{ pod }}>{pod}</Link>)}{!pods.has(run.number) && '–'}</dd></div>
            </dl>
          </li>
        ))}
      </ol>
    </>
  );
}
