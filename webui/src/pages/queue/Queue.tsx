// What runs and what waits, a resource pool at a time.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { jobsQuery, kMostJobs, poolsQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import { Empty, Loaded } from '../../components/states';
import { grouped } from '../../lib/format';
import { useInterval, useLive } from '../../live/client';
import { JobRow } from './JobRow';
import type { Pool } from './order';
import { byPool, hiddenWords, isOrderedHere, isWaiting, placeOf } from './order';

const kShown = 50;  // more on demand

function PoolSection({ pool }: { pool: Pool }) {
  const [most, setMost] = useState(kShown);
  const waits = pool.jobs.filter(isWaiting);
  const isOrdered = isOrderedHere(useQuery(poolsQuery).data?.resourcePools, pool.name);
  const hidden = hiddenWords(pool.jobs);
  return (
    <section className="card" aria-label={`Pool ${pool.name}`}>
      <div className="spread">
        <h2>{pool.name}</h2>
        <span className="soft number">{pool.running} with a place · {pool.waiting} waiting</span>
      </div>
      {waits.length > 0 && isOrdered === false && <p className="soft">Another scheduler gives the slots of this pool, by priority; the places in this list decide nothing there.</p>}
      {hidden && <p className="soft">{hidden}</p>}
      <ol className="rows">
        {pool.jobs.slice(0, most).map((job, index) => {
          const at = waits.indexOf(job);
          return <JobRow key={job.jobId} job={job} place={placeOf(job, index)} isMovable={isOrdered === true} before={at > 0 ? waits[at - 1] : undefined} after={at >= 0 ? waits[at + 1] : undefined} />;
        })}
      </ol>
      {pool.jobs.length > most && <button className="button" onClick={() => setMost(most + 200)}>Show more of {pool.jobs.length}</button>}
    </section>
  );
}

export function Queue() {
  useLive('queue');
  const query = useQuery({ ...jobsQuery, refetchInterval: useInterval(true) });
  return (
    <>
      <div className="spread"><Heading title="Queue" /><Link className="button" to="/cluster">Nodes and slots</Link></div>
      <p className="soft">Slots are given in this order: larger priority first, then the place in the list. Whoever has slots keeps them.</p>
      <Loaded query={query} what="the queue">
        {({ jobs = [], pagination }) => {
          if (jobs.length === 0) return <div className="card"><Empty title="No jobs">Nothing that you may see runs or waits. <Link to="/cluster">Nodes and slots</Link> shows what is free.</Empty></div>;
          return (
            <>
              {(pagination?.total ?? 0) > jobs.length && <p className="notice">The first {grouped(kMostJobs)} of {grouped(pagination?.total ?? 0)} jobs.</p>}
              {byPool(jobs).map((pool) => <PoolSection key={pool.name} pool={pool} />)}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
