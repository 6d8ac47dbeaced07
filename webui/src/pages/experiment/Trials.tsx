// The trials of an experiment, with the hyperparameters that the search chose.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Experiment, Trial } from '../../api/queries';
import { allTrialsQuery, firstTrialsQuery } from '../../api/trials';
import { RowLink } from '../../components/RowLink';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChosen } from '../../components/chosen';
import { RelativeTime, StateBadge } from '../../components/small';
import { Empty, Loaded, NotUpToDate } from '../../components/states';
import { duration, metric } from '../../lib/format';
import { useInTurn } from '../../live/turn';
import { missingWords } from './missing';
import { readSort, sortedTrials, sortText } from './sort';
import { flatTrials, varied } from './varied';

const kMostCompared = 100;
const kUsual: readonly Column<Trial>[] = [
  { key: 'id', name: 'Trial', width: '90px', sort: 'id', cell: ({ id }) => <RowLink page="trials" id={id} tab="metrics">{id}</RowLink> },
  { key: 'state', name: 'State', width: '140px', sort: 'state', cell: ({ state }) => <StateBadge state={state ?? ''} /> },
  { key: 'metric', name: 'Metric', width: '120px', sort: 'searcherMetricValue', isNumber: true, cell: (trial) => metric(trial.searcherMetricValue) },
  { key: 'batches', name: 'Batches', width: '100px', sort: 'totalBatchesProcessed', isNumber: true, cell: (trial) => trial.totalBatchesProcessed },
  { key: 'restarts', name: 'Restarts', width: '100px', sort: 'restarts', isNumber: true, cell: ({ restarts }) => restarts },
  { key: 'started', name: 'Started', width: '140px', sort: 'startTime', cell: ({ startTime }) => <RelativeTime time={startTime} /> },
  { key: 'took', name: 'Took', width: '110px', sort: 'wallClockTime', isNumber: true, cell: ({ wallClockTime }) => (typeof wallClockTime === 'number' ? duration(wallClockTime) : '–') },
];

const shownValue = (value: unknown) => (typeof value === 'number' ? metric(value) : typeof value === 'string' ? value : JSON.stringify(value) ?? '–');

// `changed`: when the experiment was told last.
export function Trials({ experiment, changed }: { experiment: Experiment; changed: number }) {
  const id = experiment.id ?? 0;
  // The newest show at once: thousands take a while, and would be in their way.
  const queries = useQueryClient();
  const hasAll = queries.getQueryData(allTrialsQuery(id).queryKey) !== undefined;
  const { data: first, isFetched } = useQuery({ ...firstTrialsQuery(id), enabled: !hasAll });
  const query = useQuery({ ...allTrialsQuery(id), enabled: hasAll || isFetched });
  useInTurn(['all-trials', id], changed, query.data?.took ?? 0);
  const told = query.data ?? first;
  const { sort: asked } = useSearch({ from: '/experiments/$id/$tab' });
  const sort = useMemo(() => readSort(asked) ?? { column: 'id', isDown: false }, [asked]);
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  const { chosen, choose, clear, column: check, isChosen } = useChosen('trial');
  const trials = useMemo(() => flatTrials(told?.trials ?? []), [told]);
  const rows = useMemo(() => sortedTrials(trials, sort.column, sort.isDown), [trials, sort]);
  const columns = useMemo(() => [check, ...kUsual, ...varied(trials).map((name): Column<Trial> => ({
    key: `hp.${name}`, name, width: 'minmax(110px, 1fr)', sort: `hp.${name}`, isNumber: trials.every(({ hparams }) => typeof (hparams?.[name] ?? 0) === 'number'),
    cell: ({ hparams }) => shownValue(hparams?.[name]),
  }))], [check, trials]);
  const total = query.data?.total ?? first?.pagination?.total ?? 0;
  if (told === undefined) return <Loaded query={query} what="trials">{() => null}</Loaded>;
  if (rows.length === 0) return <div className="card"><Empty title="No trials yet">The search makes its first ones when the experiment starts.</Empty></div>;
  const missing = missingWords({ shown: rows.length, total, isAll: query.data !== undefined, error: query.error });
  return (
    <>
      {query.data && query.error && <NotUpToDate error={query.error} updated={query.dataUpdatedAt} />}
      {chosen.size > 0 && (
        <div className="cluster" role="toolbar" aria-label="What to do with the chosen trials">
          <strong>{chosen.size === 1 ? '1 trial' : `${chosen.size} trials`} chosen</strong>
          <button className="button" disabled={chosen.size < 2 || chosen.size > kMostCompared} title={`2 to ${kMostCompared} trials`} onClick={() => void navigate({ to: '/compare', search: { trials: [...chosen.keys()] } })}>Compare</button>
          <button className="button plain" disabled={chosen.size >= kMostCompared} onClick={() => choose(rows.filter((row) => !isChosen(row)).slice(0, kMostCompared - chosen.size).map((trial) => trial.id ?? 0))}>Choose the first {Math.min(kMostCompared, rows.length)}</button>
          <button className="button plain" onClick={clear}>Choose none</button>
        </div>
      )}
      {missing && (query.data || !query.error ? <p className="soft" role="status">{missing}</p>
        : <div className="notice spread" role="alert"><span>{missing}</span><button className="button" onClick={() => void query.refetch()}>Try again</button></div>)}
      <VirtualTable label="Trials" columns={columns} count={rows.length} rowAt={(index) => rows[index]} rowKey={(trial) => trial.id ?? 0} sort={sort} isChosen={isChosen}
        onSort={(column) => void navigate({ search: (before) => ({ ...before, sort: sortText(column, sort.column === column && !sort.isDown) }), replace: true, resetScroll: false })} />
    </>
  );
}
