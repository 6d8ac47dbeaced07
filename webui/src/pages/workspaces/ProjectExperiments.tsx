// The experiments of a project: the table of all experiments, with fewer columns.
import { useQueries } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { ask } from '../../api/client';
import type { Experiment } from '../../api/queries';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { Empty, Failure, Loading } from '../../components/states';
import { useInterval, useLive } from '../../live/client';
import { BulkActions } from '../experiments/BulkActions';
import { kColumns } from '../experiments/columns';
import { filterText, nextSort } from '../experiments/search';

const kPage = 100;
const kShown = ['id', 'name', 'state', 'progress', 'metric', 'started', 'trials', 'owner', 'labels'];

export function ProjectExperiments({ project }: { project: number }) {
  useLive('experiments');
  const interval = useInterval(true);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const [sort, setSort] = useState('id=desc');
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const first = Math.floor(range.first / kPage);
  const pages = Array.from({ length: Math.floor(range.last / kPage) - first + 1 }, (_, place) => first + place);
  const filter = filterText({});
  const queries = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['experiments', 'project', project, sort, page], refetchInterval: interval,
      queryFn: ({ signal }: { signal: AbortSignal }) => ask('post', '/api/v1/experiments-search', { body: { projectId: project, offset: page * kPage, limit: kPage, sort, filter }, signal }),
    })),
  });
  const onRange = useCallback((from: number, to: number) => setRange({ first: from, last: to }), []);
  const failed = queries.find(({ error }) => error);
  const total = queries.find(({ data }) => data)?.data?.pagination?.total;
  const toggle = (id: number) => setChosen((before) => {
    const after = new Set(before);
    if (!after.delete(id)) after.add(id);
    return after;
  });
  const check: Column<Experiment> = {
    key: 'chosen', name: 'Chosen', width: '44px', header: <span className="hidden-label">Chosen</span>,
    cell: ({ id }) => <input type="checkbox" aria-label={`Choose experiment ${id}`} checked={chosen.has(id ?? 0)} onChange={() => toggle(id ?? 0)} />,
  };
  if (total === undefined) return failed?.error ? <Failure what="The experiments" error={failed.error} again={() => void failed.refetch()} /> : <Loading what="experiments" />;
  if (total === 0) return <div className="card"><Empty title="No experiments here yet">Start one with <code>det experiment create CONFIG FOLDER --project_id {project}</code>.</Empty></div>;
  const clear = () => setChosen(new Set());
  // All at once are chosen in the table of all experiments only.
  const bulk = { ids: [...chosen], clear, total: undefined, chooseAll: clear };
  const [column, direction] = sort.split('=');
  return (
    <>
      {chosen.size > 0 && <BulkActions {...bulk} />}
      <VirtualTable label="Experiments" columns={[check, ...kColumns.filter(({ key }) => kShown.includes(key))]} count={total} onRange={onRange}
        rowAt={(index) => queries[pages.indexOf(Math.floor(index / kPage))]?.data?.experiments?.[index % kPage]?.experiment} rowKey={({ id = 0 }) => id}
        isChosen={({ id }) => chosen.has(id ?? 0)} sort={{ column: column!, isDown: direction === 'desc' }} onSort={(name) => setSort(nextSort(sort, name))} />
    </>
  );
}
