// A job of the queue: what it is, why it waits, its priority and its place.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ask } from '../../api/client';
import type { Schemas } from '../../api/client';
import { serverQuery } from '../../api/queries';
import type { Job } from '../../api/sections';
import { reasonQuery, rightsQuery } from '../../api/sections';
import { useChange } from '../../components/change';
import { RelativeTime, StateBadge } from '../../components/small';
import { startHere } from '../../lib/focus';
import { useInView } from '../../lib/visible';
import { isWaiting, mayReorder, reasonWords, typeWords } from './order';

function Name({ job }: { job: Job }) {
  const { entityId = '', name, type } = job;
  if (type === 'TYPE_EXPERIMENT' && /^\d+$/.test(entityId)) return <Link className="name" to="/experiments/$id/$tab" params={{ id: entityId, tab: 'overview' }} title={name}>{name}</Link>;
  return <Link className="name" to="/tasks/$id/logs" params={{ id: entityId }} title={name}>{name || entityId}</Link>;
}

// Only of rows that somebody sees: each is a question of its own, again and again.
function Reason({ job, isInView }: { job: Job; isInView: boolean }) {
  const { data, error } = useQuery({ ...reasonQuery(job.jobId ?? ''), enabled: isWaiting(job) && isInView });
  if (!isWaiting(job)) return null;
  if (error && data === undefined) return <p className="reason">Why it waits could not be loaded: {error.message}</p>;
  return data?.reason ? <p className="reason">{reasonWords(data.reason)}</p> : null;
}

type Change = Schemas['v1QueueControl'];
// `done` is called when the server has taken it; what was typed stays until then.
function Priority({ job, isBusy, change }: { job: Job; isBusy: boolean; change: (update: Change, done: () => void) => void }) {
  const [draft, setDraft] = useState<string>();
  const wasOpen = useRef(false);
  const label = `Priority of ${job.name}`;
  if (draft === undefined) {
    return <button className="button" title="Larger goes first. Press to change it." aria-label={`Priority ${job.priority} of ${job.name}, change it`} ref={wasOpen.current ? startHere : null} onClick={() => { wasOpen.current = true; setDraft(String(job.priority ?? 50)); }}>Priority <span className="number">{job.priority}</span></button>;
  }
  const close = () => setDraft(undefined);
  return (
    <form className="cluster tight" onSubmit={(event) => { event.preventDefault(); if (!isBusy) change({ jobId: job.jobId ?? '', priority: Number(draft) }, close); }}>
      <input className="input short" type="number" min={1} max={99} required ref={startHere} aria-label={label} value={draft} onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && close()} />
      <button className="button" aria-disabled={isBusy}>Set</button>
    </form>
  );
}

interface Props { job: Job; place: number; isMovable: boolean; before: Job | undefined; after: Job | undefined }
// `isMovable`: its pool is in our order. `before` and `after`: its neighbours that wait, too; it is moved past them.
export function JobRow({ job, place, isMovable, before, after }: Props) {
  const move = useChange((update: Change) => ask('post', '/api/v1/job-queues', { body: { updates: [update] } }), [['queue'], ['reason']]);
  const jobId = job.jobId ?? '';
  const row = useRef<HTMLLIElement>(null);
  const isInView = useInView(row);
  const isStrict = useQuery(serverQuery).data?.strictJobQueueControl;
  const mayChange = mayReorder(useQuery(rightsQuery).data, job, isStrict);
  return (
    <li className="job" ref={row}>
      <span className="place number" aria-label={`Place ${place}`}>{place}</span>
      <span className="what">
        <Name job={job} />
        <span className="soft">{typeWords(job.type)} of {job.username} · {job.requestedSlots ? `${job.allocatedSlots} of ${job.requestedSlots} slots` : 'no slots'} · handed in <RelativeTime time={job.submissionTime} /></span>
        <Reason job={job} isInView={isInView} />
        {move.error && <p className="notice" role="alert">{move.error.message}</p>}
      </span>
      <span className="cluster tight doing">
        {isWaiting(job) && isMovable && mayChange && (
          <>
            {/* Not disabled while it works: the keyboard would lose its place. */}
            <button className="button" disabled={!before} aria-disabled={move.isPending} aria-label={`Move ${job.name} ahead`} title="Ahead of the one above" onClick={() => { if (!move.isPending) move.mutate({ jobId, aheadOf: before?.jobId ?? '' }); }}>↑</button>
            <button className="button" disabled={!after} aria-disabled={move.isPending} aria-label={`Move ${job.name} behind`} title="Behind the one below" onClick={() => { if (!move.isPending) move.mutate({ jobId, behindOf: after?.jobId ?? '' }); }}>↓</button>
          </>
        )}
        {mayChange ? <Priority job={job} isBusy={move.isPending} change={(update, done) => move.mutate(update, { onSuccess: done })} /> : <span className="soft number">Priority {job.priority}</span>}
        <StateBadge state={isWaiting(job) ? 'QUEUED' : 'RUNNING'} />
      </span>
    </li>
  );
}
