// What one wants to know first: what of mine runs, what waits, what failed.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Experiment } from '../../api/queries';
import { meQuery, queueQuery } from '../../api/queries';
import { Heading } from '../../components/Heading';
import { LastError } from '../../components/LastError';
import { Progress, RelativeTime, StateBadge } from '../../components/small';
import { Empty, Loaded, NotUpToDate } from '../../components/states';
import { grouped } from '../../lib/format';
import { isOver } from '../../lib/state';
import { useInterval, useLive } from '../../live/client';
import { kAny, kFailed, kOpen, mineQuery, openOf } from './mine';

function Row({ experiment, isRunning, hasFailed }: { experiment: Experiment; isRunning?: boolean; hasFailed?: boolean }) {
  const { id, name, state, startTime, endTime, progress } = experiment;
  return (
    <li>
      <span>
        <Link className="name" to="/experiments/$id/$tab" params={{ id: String(id), tab: 'overview' }}>{name}</Link>
        <span className="soft">#{id} · started <RelativeTime time={startTime} /></span>
        {isRunning && typeof progress === 'number' && <Progress value={progress} name={`Progress of experiment ${id}`} />}
        {hasFailed && <LastError experiment={id ?? 0} ended={endTime} />}
      </span>
      <StateBadge state={state ?? ''} />
    </li>
  );
}

const experimentsOf = (data: { experiments?: { experiment?: Experiment }[] } | undefined) => (data?.experiments ?? []).flatMap(({ experiment }) => (experiment ? [experiment] : []));

function Section({ title, children }: { title: string; children: ReactNode }) {
  return <section className="card"><h2>{title}</h2>{children}</section>;
}

export function More({ shown, total = 0, userId }: { shown: number; total: number | undefined; userId: number }) {
  if (total <= shown) return null;
  const all = <Link to="/experiments" search={openOf(userId)}>All of yours that are not over</Link>;
  return <p className="soft">The newest {shown} of {grouped(total)}. {all}</p>;
}

function Mine({ userId }: { userId: number }) {
  const refetchInterval = useInterval(true);
  // Not only among the newest: what was started before them may run on.
  const mine = useQuery({ ...mineQuery(kOpen, userId), refetchInterval });
  const failures = useQuery({ ...mineQuery(kFailed, userId), refetchInterval });
  const isNone = mine.data?.experiments?.length === 0 && failures.data?.experiments?.length === 0;
  const any = useQuery({ ...mineQuery(kAny, userId), enabled: isNone }).data;
  return (
    <Loaded query={mine} what="your experiments">
      {(data) => {
        if (isNone && any?.experiments?.length === 0) return <Section title="Yours"><Empty title="You have no experiments yet">Start one with <code>det experiment create CONFIG FOLDER</code>.</Empty></Section>;
        // What somebody paused waits for nobody: it comes last.
        const found = experimentsOf(data);
        const place = ({ state }: Experiment) => Number(state === 'STATE_PAUSED');
        const open = found.filter(({ state }) => !isOver(state ?? '')).sort((a, b) => place(a) - place(b));
        const failed = experimentsOf(failures.data);
        return (
          <>
            <Section title="Yours that are not over">
              {open.length === 0 ? <Empty title="Nothing runs or waits" /> : <ul className="rows">{open.map((one) => <Row key={one.id} experiment={one} isRunning />)}</ul>}
              <More shown={found.length} total={data.pagination?.total} userId={userId} />
            </Section>
            {failures.error && failures.error.message !== mine.error?.message && (failures.data ? <NotUpToDate error={failures.error} updated={failures.dataUpdatedAt} />
              : <p className="notice" role="alert">Which of yours failed lately could not be loaded: {failures.error.message}</p>)}
            {failed.length > 0 && <Section title="Yours that failed lately"><ul className="rows">{failed.map((one) => <Row key={one.id} experiment={one} hasFailed />)}</ul></Section>}
          </>
        );
      }}
    </Loaded>
  );
}

function Queue() {
  const queue = useQuery({ ...queueQuery, refetchInterval: useInterval(true) });
  return (
    <Section title="Who has slots, and who waits">
      <Loaded query={queue} what="the queue">
        {({ jobs = [], pagination }) => (jobs.length === 0 ? <Empty title="No jobs">Nothing that you may see runs or waits.</Empty> : (
          <>
            <ul className="rows">
              {jobs.map((job) => (
                <li key={job.jobId}>
                  <span><span className="name">{job.name}</span><span className="soft">{job.username} · pool {job.resourcePool} · {job.allocatedSlots} of {job.requestedSlots} slots</span></span>
                  <StateBadge state={job.summary?.state === 'STATE_QUEUED' ? 'QUEUED' : 'RUNNING'} />
                </li>
              ))}
            </ul>
            {(pagination?.total ?? 0) > jobs.length && <p className="soft">The first {jobs.length} of {grouped(pagination?.total ?? 0)}. <Link to="/queue">The whole queue</Link></p>}
          </>
        ))}
      </Loaded>
      <p className="soft"><Link to="/queue">Why they wait</Link>, and <Link to="/cluster">which slots are free</Link></p>
    </Section>
  );
}

export function Home() {
  useLive('experiments', 'queue');
  const me = useQuery(meQuery);
  return (
    <>
      <div className="spread"><Heading title="Home" /><Link className="button" to="/experiments">All experiments</Link></div>
      <div className="home-grid">
        <Loaded query={me} what="who you are">{({ user }) => <><Mine userId={user?.id ?? 0} /><Queue /></>}</Loaded>
      </div>
    </>
  );
}
