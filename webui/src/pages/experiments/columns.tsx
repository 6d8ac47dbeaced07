// The columns that the experiments table can have.
import { Link } from '@tanstack/react-router';
import type { Experiment } from '../../api/queries';
import type { Column } from '../../components/VirtualTable';
import { Labels, Progress, RelativeTime, StateBadge } from '../../components/small';
import { bytes, duration, metric } from '../../lib/format';

export const kColumns: readonly Column<Experiment>[] = [
  { key: 'id', name: 'ID', width: '80px', sort: 'id', isNumber: true, cell: ({ id }) => id },
  {
    key: 'name', name: 'Name', width: 'minmax(220px, 2fr)', sort: 'name',
    cell: ({ id, name }) => <Link to="/experiments/$id/$tab" params={{ id: String(id), tab: 'overview' }} title={name}>{name}</Link>,
  },
  { key: 'state', name: 'State', width: '140px', sort: 'state', cell: ({ state }) => <StateBadge state={state ?? ''} /> },
  {
    key: 'progress', name: 'Progress', width: '120px', sort: 'progress',
    cell: ({ id, progress }) => (typeof progress === 'number' ? <Progress value={progress} name={`Progress of experiment ${id}`} /> : <span className="soft">–</span>),
  },
  { key: 'metric', name: 'Best metric', width: '130px', sort: 'searcherMetricsVal', isNumber: true, cell: ({ bestTrialSearcherMetric, searcherMetric }) => <span title={searcherMetric}>{metric(bestTrialSearcherMetric)}</span> },
  { key: 'started', name: 'Started', width: '140px', sort: 'startTime', cell: ({ startTime }) => <RelativeTime time={startTime} /> },
  { key: 'duration', name: 'Took', width: '110px', sort: 'duration', isNumber: true, cell: (one) => (one.endTime ? duration(one.duration ?? 0) : '–') },
  { key: 'trials', name: 'Trials', width: '80px', sort: 'numTrials', isNumber: true, cell: ({ numTrials }) => numTrials },
  { key: 'owner', name: 'Owner', width: '130px', sort: 'user', cell: ({ displayName, username }) => displayName || username },
  { key: 'searcher', name: 'Search', width: '130px', sort: 'searcherType', cell: ({ searcherType }) => searcherType },
  { key: 'labels', name: 'Labels', width: 'minmax(140px, 1fr)', cell: ({ labels }) => <Labels labels={labels ?? []} /> },
  { key: 'pool', name: 'Pool', width: '120px', sort: 'resourcePool', cell: ({ resourcePool }) => resourcePool },
  { key: 'project', name: 'Project', width: '150px', cell: ({ projectName }) => projectName },
  { key: 'checkpoints', name: 'Checkpoints', width: '120px', sort: 'checkpointSize', isNumber: true, cell: ({ checkpointSize }) => bytes(checkpointSize ?? 0) },
];
export const kUsual = ['id', 'name', 'state', 'progress', 'metric', 'started', 'duration', 'trials', 'owner', 'labels'];

export function chosenColumns(cols: string | undefined): Column<Experiment>[] {
  const keys = cols?.split('.') ?? kUsual;
  return keys.flatMap((key) => kColumns.find((column) => column.key === key) ?? []);
}
