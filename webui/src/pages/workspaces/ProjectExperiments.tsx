// The experiments of a project: the table of all experiments, with fewer columns.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { VirtualTable } from '../../components/VirtualTable';
import { useChosen } from '../../components/chosen';
import { Empty, Failure, Loading, NotUpToDate } from '../../components/states';
import { useLive } from '../../live/client';
import { BulkActions } from '../experiments/BulkActions';
import { kColumns } from '../experiments/columns';
import { useRows } from '../experiments/rows';
import { nextSort } from '../experiments/search';

const kShown = ['id', 'name', 'state', 'progress', 'metric', 'started', 'trials', 'owner', 'labels'];
const kOfProject = kColumns.filter(({ key }) => kShown.includes(key));

export function ProjectExperiments({ project }: { project: number }) {
  useLive('experiments');
  const { sort = 'id=desc' } = useSearch({ from: '/projects/$id' });
  const navigate = useNavigate({ from: '/projects/$id' });
  const rows = useRows({ project, sort });
  const { chosen, clear, column: check, isChosen } = useChosen('experiment');
  const columns = useMemo(() => [check, ...kOfProject], [check]);
  const failure = rows.error && <Failure what={rows.total === undefined ? 'The experiments' : 'Some of the experiments'} error={rows.error} again={rows.again} />;
  if (rows.total === undefined) return failure ?? <Loading what="experiments" />;
  if (rows.total === 0) return <div className="card"><Empty title="No experiments here yet">Start one with <code>det experiment create CONFIG FOLDER --project_id {project}</code>.</Empty></div>;
  const [column, direction] = sort.split('=');
  return (
    <>
      {failure}
      {rows.stale?.error && <NotUpToDate error={rows.stale.error} updated={rows.stale.dataUpdatedAt} />}
      {/* All at once are chosen in the table of all experiments only. */}
      {chosen.size > 0 && <BulkActions ids={[...chosen.keys()]} others={0} clear={clear} total={undefined} isChoosing={false} chooseAll={clear} />}
      <VirtualTable label="Experiments" columns={columns} count={rows.total} rowAt={rows.rowAt} rowKey={({ id = 0 }) => id} onRange={rows.onRange}
        isChosen={isChosen} sort={{ column: column!, isDown: direction === 'desc' }} onSort={(name) => void navigate({ search: { sort: nextSort(sort, name) }, replace: true, resetScroll: false })} />
    </>
  );
}
