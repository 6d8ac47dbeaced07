// Pools, nodes and slots, and how much of them was used.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client';
import { agentsQuery, allocationsQuery, poolsQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import { useMay } from '../../components/rights';
import { Progress } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { useInterval, useLive } from '../../live/client';
import { KeptFor } from './KeptFor';
import { Node } from './Node';
import { Usage } from './Usage';
import { holders, kSlotWords } from './holders';

function Pool({ pool, mayKeep }: { pool: Schemas['v1ResourcePool']; mayKeep: boolean }) {
  const [isAsked, setAsked] = useState(false);
  const { name, description, slotsUsed = 0, slotsAvailable = 0, numAgents, slotType, stats, defaultComputePool, defaultAuxPool } = pool;
  const what = [defaultComputePool && 'training', defaultAuxPool && 'tasks without slots'].filter(Boolean).join(' and ');
  return (
    <section className="card stack" aria-label={`Pool ${name}`}>
      <div className="spread"><h3>{name}</h3><span className="soft">{slotType?.replace(/^TYPE_/, '')}</span></div>
      {description && <p className="soft">{description}</p>}
      <div><strong className="number">{slotsUsed} of {slotsAvailable}</strong> <span className="soft">slots in use on {numAgents} {numAgents === 1 ? 'node' : 'nodes'}</span></div>
      <Progress value={slotsAvailable > 0 ? slotsUsed / slotsAvailable : 0} name={`Slots of pool ${name} in use`} />
      <p className="soft">{stats?.scheduledCount ?? 0} jobs have a place, {stats?.queuedCount ?? 0} wait{what && `. The default for ${what}`}.</p>
      {mayKeep && !what && <div><button className="button" aria-label={`Who may use pool ${name}`} onClick={() => setAsked(true)}>Who may use it</button></div>}
      {isAsked && <KeptFor pool={name ?? ''} close={() => setAsked(false)} />}
    </section>
  );
}

const kNodesMs = 15_000;

export function Cluster() {
  useLive('queue');
  const interval = useInterval(true);
  // Nobody tells of nodes that come and go by themselves.
  const ofNodes = interval || kNodesMs;
  const pools = useQuery({ ...poolsQuery, refetchInterval: ofNodes });
  const agents = useQuery({ ...agentsQuery, refetchInterval: ofNodes });
  const allocations = useQuery({ ...allocationsQuery, refetchInterval: interval }).data?.allocationIdToSummary;
  const held = useMemo(() => holders(allocations ?? {}), [allocations]);
  const mayChange = useMay('UPDATE_AGENTS') === true;
  const mayKeep = useMay('MODIFY_RP_WORKSPACE_BINDINGS') === true;
  const maySeeUse = useMay('VIEW_CLUSTER_USAGE', { owner: 'anybody' });
  return (
    <>
      <div className="spread"><Heading title="Cluster" /><Link className="button" to="/queue">Who waits, and why</Link></div>
      <h2>Resource pools</h2>
      <Loaded query={pools} what="resource pools">
        {({ resourcePools = [] }) => (resourcePools.length === 0 ? <div className="card"><Empty title="No pool is yours to use">An administrator binds pools to workspaces.</Empty></div>
          : <div className="pool-grid">{resourcePools.map((pool) => <Pool key={pool.name} pool={pool} mayKeep={mayKeep} />)}</div>)}
      </Loaded>
      <div className="spread">
        <h2>Nodes</h2>
        <ul className="legend" aria-label="What the colours mean">{(['held', 'free', 'off', 'draining'] as const).map((state) => <li key={state}><span className={`slot small ${state}`} aria-hidden /> {kSlotWords[state]}</li>)}</ul>
      </div>
      <Loaded query={agents} what="nodes">
        {({ agents: nodes = [], notice }) => (
          <>
            {notice && <p className="notice">{notice}</p>}
            {nodes.length === 0 ? <div className="card"><Empty title="No nodes">The cluster has no node with slots that you may see.</Empty></div>
              : nodes.map((agent) => <Node key={agent.id} agent={agent} held={held} mayChange={mayChange} />)}
          </>
        )}
      </Loaded>
      {maySeeUse && <Usage />}
      {maySeeUse === false && <p className="soft">Who used how much is shown to those who may see the cluster's usage.</p>}
    </>
  );
}
