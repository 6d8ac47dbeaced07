// The log of a task of any kind.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { ask } from '../../api/client';
import { Heading } from '../../components/Heading';
import { RelativeTime, StateBadge } from '../../components/small';
import { Empty, Failure, Loaded, Loading, MoreFailed } from '../../components/states';
import { useInterval, useLive } from '../../live/client';
import { Lines } from '../trial/Lines';
import { LogEnds } from '../trial/LogEnds';
import { countWords } from '../trial/count';
import { taskUrl, useLog } from '../trial/log';
import { kKindWords, pageOf, tasksQuery } from './tasks';

const kTypes: Record<string, string> = { NOTEBOOK: 'Notebook', SHELL: 'Shell', COMMAND: 'Command', TENSORBOARD: 'TensorBoard', GENERIC: 'Generic task', TRIAL: 'Run of a trial' };

function Log({ id, isOver }: { id: string; isOver: boolean }) {
  const [text, setText] = useState('');
  const [sent, setSent] = useState('');
  useEffect(() => { const timer = setTimeout(() => setSent(text), 300); return () => clearTimeout(timer); }, [text]);
  const log = useLog(useMemo(() => taskUrl(id, sent), [id, sent]), isOver, undefined);
  const { lines, isOld, error, trouble, isBegin, isEnd, again, isFollowed, setFollowed } = log;
  const what = isOld ? 'Looking …' : lines && countWords(lines.length, { isBegin, isEnd, isNarrowed: sent !== '' });
  const toEnd = () => {
    if (!isEnd) again();
    setFollowed(true);
  };
  return (
    <section className="stack">
      <div className="spread">
        <label><span className="hidden-label">Search in the log</span><input className="input" type="search" placeholder="Search in the log" value={text} onChange={(event) => setText(event.target.value)} /></label>
        <LogEnds log={log} what={what} toEnd={toEnd} />
      </div>
      {!error && trouble && <MoreFailed error={trouble} />}
      {error ? <Failure what="The log" error={error} again={again} /> : !lines ? <Loading what="the log" />
        : lines.length === 0 ? <div className="card"><Empty title="No lines">{sent ? 'Nothing in the log is like that.' : 'The log begins when the task starts.'}</Empty></div>
          : <Lines lines={lines} isFollowed={isFollowed && isEnd} setFollowed={setFollowed} />}
    </section>
  );
}

export function TaskLog() {
  useLive('tasks');
  const { id } = useParams({ from: '/tasks/$id/logs' });
  const interval = useInterval(true);
  const query = useQuery({
    queryKey: ['tasks', 'one', id], queryFn: ({ signal }) => ask('get', '/api/v1/tasks/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.task?.endTime ? false : interval),
  });
  const row = useQuery(tasksQuery).data?.find((task) => task.id === id);
  const page = row && pageOf(row);
  return (
    <Loaded query={query} what="the task" isPage>
      {({ task }) => (
        <>
          <section className="card stack">
            <div className="spread">
              <div className="cluster">
                <Heading title={row?.name || kTypes[task?.taskType?.replace(/^TASK_TYPE_/, '') ?? ''] || 'Task'} />
                <StateBadge state={row?.state ?? (task?.endTime ? 'STATE_TERMINATED' : task?.allocations?.[0]?.state ?? 'STATE_QUEUED')} />
                {row && <span className="soft">{kKindWords[row.kind]} of {row.user}</span>}
              </div>
              <div className="cluster">{page && <a className="button primary" href={page} target="_blank" rel="noreferrer">Open</a>}<Link className="button" to="/tasks">All tasks</Link></div>
            </div>
            <dl className="facts">
              <div><dt>Id</dt><dd className="mono">{id}</dd></div>
              <div><dt>Started</dt><dd><RelativeTime time={task?.startTime} /></dd></div>
              {task?.endTime && <div><dt>Ended</dt><dd><RelativeTime time={task.endTime} /></dd></div>}
              <div><dt>Attempts</dt><dd className="number">{task?.allocations?.length ?? 0}</dd></div>
              {task?.allocations?.[0]?.exitReason && <div><dt>Why it ended</dt><dd>{task.allocations[0].exitReason}</dd></div>}
            </dl>
          </section>
          <Log key={id} id={id} isOver={Boolean(task?.endTime)} />
        </>
      )}
    </Loaded>
  );
}
