// All experiments: filtered, sorted and paged by the server; what is chosen stays chosen while one scrolls.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Heading } from '../../components/Heading';
import { VirtualTable } from '../../components/VirtualTable';
import { ofOthers, useChosen } from '../../components/chosen';
import { Empty, Failure, Loading, NotUpToDate } from '../../components/states';
import { grouped } from '../../lib/format';
import { useLive } from '../../live/client';
import { BulkActions } from './BulkActions';
import { Filters } from './Filters';
import { allOf, kMost } from './all';
import { chosenColumns } from './columns';
import { csvOf, save } from './csv';
import { rowOf, useRows } from './rows';
import { nextSort } from './search';
import './experiments.css';

export function Experiments() {
  useLive('experiments');
  const search = useSearch({ from: '/experiments' });
  const navigate = useNavigate({ from: '/experiments' });
  const rows = useRows(search);
  const list = rows.of;
  const { chosen, choose, clear, column: check, isChosen } = useChosen('experiment', list);
  const columns = useMemo(() => [check, ...chosenColumns(search.cols)], [check, search.cols]);
  const [failure, setFailure] = useState<string>();
  const [column, direction] = rows.sort.split('=');
  // Whose columns can be chosen: not of another when one scrolls, or when somebody starts something elsewhere.
  const [first, setFirst] = useState<number>();
  const found = first ?? rows.rowAt(0)?.projectId;
  if (found !== first) setFirst(found);
  const project = search.project ?? found ?? 1;
  const whole = { sort: rows.sort, filter: rows.filter, ...(search.project !== undefined && { projectId: search.project }) };

  // What comes when another list is shown, or when one has ticked something since, is not wanted any more.
  const choosing = useRef<AbortController>(undefined);
  const [isChoosing, setChoosing] = useState(false);
  useEffect(() => () => choosing.current?.abort(), [list, rows.sort, chosen]);
  const chooseAll = async () => {
    setFailure(undefined);
    const stop = choosing.current = new AbortController();
    setChoosing(true);
    try {
      const experiments = await allOf(whole, stop.signal);
      if (!stop.signal.aborted) choose(experiments.map(({ experiment }) => experiment?.id ?? 0));
    } catch (error) {
      if (!stop.signal.aborted) setFailure((error as Error).message);
    } finally {
      if (choosing.current === stop) setChoosing(false);
    }
  };

  const [isSaving, setSaving] = useState(false);
  const exportCsv = async () => {
    setFailure(undefined);
    setSaving(true);
    try {
      const experiments = await allOf(whole);
      save('experiments.csv', csvOf(chosenColumns(search.cols).map(({ key }) => key), experiments.flatMap((entry) => rowOf(entry) ?? [])), 'text/csv');
    } catch (error) {
      setFailure((error as Error).message);
    } finally {
      setSaving(false);
    }
  };

  return (
    <>
      <div className="spread">
        <Heading title="Experiments">Experiments {rows.total !== undefined && <span className="soft number">{grouped(rows.total)}</span>}</Heading>
        <button className="button" disabled={isSaving} onClick={() => void exportCsv()} title={`The columns of the table, the first ${grouped(kMost)} of the list`}>{isSaving ? 'Saving …' : 'Save as CSV'}</button>
      </div>
      {failure && <p className="notice" role="alert">{failure}</p>}
      <Filters search={search} project={project} />
      {chosen.size > 0 && <BulkActions ids={[...chosen.keys()]} others={ofOthers(chosen, list)} clear={clear} total={rows.total} isChoosing={isChoosing} chooseAll={() => void chooseAll()} />}
      {rows.error && <Failure what={rows.total === undefined ? 'The experiments' : 'Some of the experiments'} error={rows.error} again={rows.again} />}
      {rows.stale?.error && <NotUpToDate error={rows.stale.error} updated={rows.stale.dataUpdatedAt} />}
      {rows.total === undefined ? !rows.error && <Loading what="experiments" />
        : rows.total === 0 ? <div className="card"><Empty title="No experiment is like that">Change the filter, or start one with <code>det experiment create CONFIG FOLDER</code>.</Empty></div>
          : (
            <VirtualTable label="Experiments" columns={columns} count={rows.total} rowAt={rows.rowAt} rowKey={({ id = 0 }) => id} onRange={rows.onRange}
              isChosen={isChosen} sort={{ column: column!, isDown: direction === 'desc' }}
              onSort={(name) => void navigate({
                search: (before) => ({ ...before, sort: nextSort(rows.sort, name) }), replace: true, resetScroll: false,
              })} />
          )}
    </>
  );
}
