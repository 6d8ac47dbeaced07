// The columns that the experiments table can have.
import { RowLink } from '../../components/RowLink';
import type { Column } from '../../components/VirtualTable';
import { Labels, Progress, RelativeTime, StateBadge } from '../../components/small';
import { bytes, duration, metric } from '../../lib/format';
import type { Row } from './rows';
import { hyperparameterOf, metricOf } from './values';

export const kColumns: readonly Column<Row>[] = [
  { key: 'id', name: 'ID', width: '80px', sort: 'id', isNumber: true, cell: ({ id }) => id },
  {
    key: 'name', name: 'Name', width: 'minmax(220px, 2fr)', sort: 'name',
    cell: ({ id, name }) => <RowLink page="experiments" id={id} tab="overview" title={name}>{name}</RowLink>,
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

// A column that the server names, such as hp.lr or validation.loss.min.
function ownColumn(key: string): Column<Row> | undefined {
  const sort = /[,=]/.test(key) ? {} : { sort: key };
  if (key.startsWith('hp.')) return { key, name: key.slice(3), width: 'minmax(130px, 1fr)', ...sort, isNumber: true, cell: (row) => { const text = hyperparameterOf(row, key.slice(3)); return <span title={text}>{text}</span>; } };
  if (/\.(last|min|max|mean)$/.test(key)) return { key, name: key, width: 'minmax(210px, 1fr)', ...sort, isNumber: true, cell: (row) => metric(metricOf(row, key)) };
  return undefined;
}

export const columnOf = (key: string): Column<Row> | undefined => kColumns.find((column) => column.key === key) ?? ownColumn(key);

export const chosenColumns = (cols: readonly string[] | undefined): Column<Row>[] => (cols ?? kUsual).flatMap((key) => columnOf(key) ?? []);
