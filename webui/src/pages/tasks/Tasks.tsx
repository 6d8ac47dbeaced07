// Notebooks, shells, commands, TensorBoards and generic tasks.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { meQuery } from '../../api/queries';
import { reasonQuery, rightsQuery, workspacesQuery } from '../../api/sections';
import { Confirm, Frame } from '../../components/Dialog';
import { Heading } from '../../components/Heading';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { Copyable } from '../../components/forms';
import { mayAnywhere, useMay } from '../../components/rights';
import { RelativeTime, StateBadge, useMinute } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { useInterval, useLive } from '../../live/client';
import { StartNotebook, StartTensorBoard } from './Start';
import type { Kind, TaskRow } from './tasks';
import { idleWords, isEnded, isWaiting, kKindWords, kill, pageOf, tasksQuery } from './tasks';

function Why({ task }: { task: TaskRow }) {
  const { data, error } = useQuery({ ...reasonQuery(task.id), enabled: isWaiting(task) });
  useMinute();
  const words = isWaiting(task) ? data?.reason ?? (error ? `Why it waits could not be loaded: ${error.message}` : '') : isEnded(task) ? task.exit : [task.shows, task.idle && idleWords(task.idle)].filter(Boolean).join('; ');
  return <span className="soft" title={words}>{words || '–'}</span>;
}

function Doing({ task, ask }: { task: TaskRow; ask: (what: 'kill' | 'shell') => void }) {
  const page = pageOf(task);
  const mayKill = useMay('UPDATE_NSC', { workspace: task.workspaceId, owner: task.userId }) === true;
  return (
    <span className="cluster tight">
      {page && <a className="button" href={page} target="_blank" rel="noreferrer" aria-label={`Open ${task.name}`}>Open</a>}
      {task.kind === 'shell' && mayKill && task.state === 'STATE_RUNNING' && <button className="button" aria-label={`Open ${task.name}`} onClick={() => ask('shell')}>Open</button>}
      {!isEnded(task) && mayKill && <button className="button danger" aria-label={`Kill ${task.name}`} onClick={() => ask('kill')}>Kill</button>}
    </span>
  );
}

function Table({ tasks, workspaces }: { tasks: readonly TaskRow[]; workspaces: ReadonlyMap<number, string> }) {
  const [asked, setAsked] = useState<{ task: TaskRow; what: 'kill' | 'shell' }>();
  const close = () => setAsked(undefined);
  const end = useChange(kill, [['tasks'], ['queue']], close);
  const columns: readonly Column<TaskRow>[] = [
    { key: 'kind', name: 'Kind', width: '120px', cell: ({ kind }) => kKindWords[kind] },
    { key: 'name', name: 'Name', width: 'minmax(200px, 2fr)', cell: ({ id, name }) => <Link to="/tasks/$id/logs" params={{ id }} title={`The log of ${name}`}>{name || id}</Link> },
    { key: 'state', name: 'State', width: '130px', cell: ({ state }) => <StateBadge state={state} /> },
    { key: 'user', name: 'User', width: '140px', cell: ({ user }) => <span title={user}>{user}</span> },
    { key: 'workspace', name: 'Workspace', width: '150px', cell: ({ workspaceId }) => <Link to="/workspaces/$id" params={{ id: String(workspaceId) }} title={workspaces.get(workspaceId)}>{workspaces.get(workspaceId) ?? workspaceId}</Link> },
    { key: 'pool', name: 'Pool', width: '110px', cell: ({ pool }) => pool },
    { key: 'started', name: 'Started', width: '140px', cell: ({ started }) => <RelativeTime time={started} /> },
    { key: 'why', name: 'Details', width: 'minmax(180px, 2fr)', cell: (task) => <Why task={task} /> },
    { key: 'do', name: 'Actions', width: '160px', cell: (task) => <Doing task={task} ask={(what) => { end.reset(); setAsked({ task, what }); }} /> },
  ];
  return (
    <>
      <VirtualTable label="Tasks" columns={columns} count={tasks.length} rowAt={(index) => tasks[index]} rowKey={({ id }) => id} />
      {asked?.what === 'kill' && (
        <Confirm title={`Kill ${kKindWords[asked.task.kind].toLowerCase()} ${asked.task.name}?`} means="It ends at once. Files in it that are on no mounted folder are gone." verb="Kill" isOpen
          isBusy={end.isPending} error={end.error?.message} close={close} act={() => end.mutate(asked.task)} />
      )}
      {asked?.what === 'shell' && (
        <Frame title={`Open ${asked.task.name}`} isOpen close={close}>
          <p>A shell opens in a terminal of your machine. Type there:</p>
          <Copyable label="Command line" text={`det shell open ${asked.task.id}`} />
          <div><button className="button" onClick={close}>Close</button></div>
        </Frame>
      )}
    </>
  );
}

export function Tasks() {
  useLive('tasks', 'queue');
  const search = useSearch({ from: '/tasks' });
  const navigate = useNavigate({ from: '/tasks' });
  const [isNotebook, setNotebook] = useState(false);
  const interval = useInterval(true);
  // Nobody is told when somebody uses a notebook: its idle clock is asked for each minute.
  const query = useQuery({ ...tasksQuery, refetchInterval: ({ state }) => interval || (state.data?.some(({ idle }) => idle) ? 60_000 : false) });
  const workspaces = useQuery(workspacesQuery).data?.workspaces;
  const names = useMemo(() => new Map((workspaces ?? []).map(({ id, name }) => [id ?? 0, name ?? ''])), [workspaces]);
  const me = useQuery(meQuery).data?.user?.id;
  const rights = useQuery(rightsQuery).data;
  const mayStart = rights !== undefined && mayAnywhere(rights, 'CREATE_NSC');
  const mayShow = rights !== undefined && mayAnywhere(rights, 'VIEW_EXPERIMENT_ARTIFACTS');
  const change = (part: typeof search) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <>
      <div className="spread">
        <Heading title="Tasks" />
        <div className="cluster">
          {mayStart && <button className="button primary" onClick={() => setNotebook(true)}>Start a notebook</button>}
          {mayShow && <button className="button" onClick={() => change({ tensorboard: '' })}>Start a TensorBoard</button>}
        </div>
      </div>
      <div className="cluster" role="search">
        <select className="input" aria-label="Kind" value={search.kind ?? ''} onChange={(event) => change({ kind: (event.target.value || undefined) as Kind | undefined })}>
          <option value="">All kinds</option>
          {Object.entries(kKindWords).map(([kind, words]) => <option key={kind} value={kind}>{words}</option>)}
        </select>
        <label className="cluster"><input type="checkbox" checked={search.mine === true} onChange={(event) => change({ mine: event.target.checked || undefined })} /> Only mine</label>
        <label className="cluster"><input type="checkbox" checked={search.ended === true} onChange={(event) => change({ ended: event.target.checked || undefined })} /> Also those that ended in the last 24 hours</label>
      </div>
      <Loaded query={query} what="tasks">
        {(all) => {
          const tasks = all.filter((task) => (!search.kind || task.kind === search.kind) && (search.ended || !isEnded(task)) && (!search.mine || task.userId === me));
          return tasks.length > 0 ? <Table tasks={tasks} workspaces={names} /> : (
            <div className="card"><Empty title="No task is like that">People start them here or on the command line: <code>det notebook start</code>, <code>det shell start</code>, <code>det command run</code>.</Empty></div>
          );
        }}
      </Loaded>
      {isNotebook && <StartNotebook close={() => setNotebook(false)} />}
      {search.tensorboard !== undefined && <StartTensorBoard experiments={search.tensorboard} close={() => change({ tensorboard: undefined })} />}
    </>
  );
}
