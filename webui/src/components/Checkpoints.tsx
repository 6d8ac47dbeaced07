// Checkpoints of a trial or an experiment, the newest first.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Schemas } from '../api/client';
import { checkpointsQuery, experimentQuery } from '../api/queries';
import { rightsQuery } from '../api/sections';
import { bytes, metric } from '../lib/format';
import type { AskedCheckpoint } from './CheckpointActions';
import { CheckpointActions, CheckpointDialog } from './CheckpointActions';
import type { Column } from './VirtualTable';
import { VirtualTable } from './VirtualTable';
import { mayAnywhere, mayDo } from './rights';
import { RelativeTime, StateBadge } from './small';
import { Empty, Loaded } from './states';

type Checkpoint = Schemas['v1Checkpoint'];
const size = ({ resources }: Checkpoint) => Object.values(resources ?? {}).reduce<number>((sum, count) => sum + Number(count), 0);

const kColumns: readonly Column<Checkpoint>[] = [
  { key: 'uuid', name: 'Checkpoint', width: 'minmax(320px, 1fr)', cell: ({ uuid }) => <span className="mono">{uuid}</span> },
  { key: 'trial', name: 'Trial', width: '90px', cell: ({ training }) => (training?.trialId ? <Link to="/trials/$id/$tab" params={{ id: String(training.trialId), tab: 'checkpoints' }}>{training.trialId}</Link> : '–') },
  { key: 'state', name: 'State', width: '140px', cell: ({ state }) => <StateBadge state={state ?? ''} /> },
  { key: 'batches', name: 'Batches', width: '110px', isNumber: true, cell: ({ metadata }) => String(metadata?.['steps_completed'] ?? '–') },
  { key: 'metric', name: 'Metric', width: '120px', isNumber: true, cell: ({ training }) => metric(training?.searcherMetric) },
  { key: 'size', name: 'Size', width: '100px', isNumber: true, cell: (one) => bytes(size(one)) },
  { key: 'time', name: 'Saved', width: '150px', cell: ({ reportTime }) => <RelativeTime time={reportTime} /> },
];

export function Checkpoints({ kind, id }: { kind: 'experiment' | 'trial'; id: number }) {
  const query = useQuery(checkpointsQuery(kind, id));
  const experiment = kind === 'experiment' ? id : query.data?.checkpoints?.[0]?.training?.experimentId ?? 0;
  const whose = useQuery({ ...experimentQuery(experiment), enabled: experiment > 0 }).data?.experiment;
  const rights = useQuery(rightsQuery).data;
  const mayRegister = rights !== undefined && mayAnywhere(rights, 'EDIT_MODEL_REGISTRY');
  const mayDelete = whose !== undefined && mayDo(rights, 'delete-checkpoint', whose);
  const [asked, setAsked] = useState<AskedCheckpoint>();
  const columns = useMemo((): readonly Column<Checkpoint>[] => [...kColumns, {
    key: 'actions', name: 'Actions', width: '90px', header: <span className="hidden-label">Actions</span>,
    cell: ({ uuid, state }) => (state === 'STATE_COMPLETED' && uuid
      ? <CheckpointActions uuid={uuid} mayRegister={mayRegister} mayDelete={mayDelete} ask={setAsked} /> : null),
  }], [mayRegister, mayDelete]);
  return (
    <>
      <Loaded query={query} what="checkpoints">
        {({ checkpoints = [], pagination }) => (checkpoints.length === 0
          ? (
            <div className="card">
              <Empty title="No checkpoints yet">They show here as soon as training saves one.</Empty>
            </div>
          )
          : (
            <>
              {(pagination?.total ?? 0) > checkpoints.length && (
                <p className="soft">The newest {checkpoints.length} of {pagination?.total}.</p>
              )}
              <VirtualTable label="Checkpoints" columns={columns} count={checkpoints.length}
                rowAt={(index) => checkpoints[index]} rowKey={({ uuid = '' }) => uuid} />
            </>
          ))}
      </Loaded>
      {asked && <CheckpointDialog asked={asked} close={() => setAsked(undefined)} />}
    </>
  );
}
