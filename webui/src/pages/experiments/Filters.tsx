// What is above the table: search, state, filter, columns, saved views.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useState } from 'react';
import { Loading } from '../../components/states';
import { useField } from '../../lib/field';
import { stateWords } from '../../lib/state';
import { projectColumnsQuery } from './column-names';
import { kUsual } from './columns';
import type { TableSearch } from './search';
import { kStates } from './search';

const FilterPanel = lazy(() => import('./FilterPanel'));
const ColumnsDialog = lazy(() => import('./ColumnsDialog'));
const ViewsDialog = lazy(() => import('./ViewsDialog'));

// `project`: whose metrics and hyperparameters can be chosen.
export function Filters({ search, project }: { search: TableSearch; project: number }) {
  const navigate = useNavigate({ from: '/experiments' });
  const change = (part: { [K in keyof TableSearch]?: TableSearch[K] | undefined }) => void navigate({ search: (before) => ({ ...before, ...part } as TableSearch), replace: true });
  const [text, setText] = useField(search.q ?? '', (q) => change({ q }));
  const [isFiltering, setFiltering] = useState(search.filter !== undefined);
  const [dialog, setDialog] = useState<'columns' | 'views'>();
  const names = useQuery({ ...projectColumnsQuery(project), enabled: isFiltering || dialog === 'columns' }).data ?? [];
  const close = () => setDialog(undefined);
  return (
    <>
      <div className="cluster" role="search">
        <label><span className="hidden-label">Search names, descriptions, labels and ids</span>
          <input className="input" type="search" placeholder="Name, label or id" value={text} onChange={(event) => setText(event.target.value)} /></label>
        <select className="input" aria-label="State" value={search.state ?? ''} onChange={(event) => change({ state: event.target.value })}>
          <option value="">Any state</option>
          {kStates.map((state) => <option key={state} value={state}>{stateWords(state)[0]}</option>)}
        </select>
        <label className="cluster"><input type="checkbox" checked={search.archived === true} onChange={(event) => change({ archived: event.target.checked })} /> Archived too</label>
        <button className="button" aria-expanded={isFiltering} aria-pressed={search.filter !== undefined} onClick={() => setFiltering(!isFiltering)}>Filter</button>
        <button className="button" onClick={() => setDialog('columns')}>Columns</button>
        <button className="button" onClick={() => setDialog('views')}>Views</button>
        {search.project !== undefined && <button className="button" aria-pressed onClick={() => change({ project: undefined })}>Only project {search.project} ✕</button>}
      </div>
      <Suspense fallback={<Loading what="the filter" />}>
        {isFiltering && <FilterPanel filter={search.filter ?? ''} names={names} change={(filter) => change({ filter })} />}
      </Suspense>
      <Suspense fallback={<Loading what="the dialog" />}>
        {dialog === 'columns' && <ColumnsDialog cols={search.cols ?? kUsual} names={names} change={(cols) => change({ cols })} close={close} />}
        {dialog === 'views' && <ViewsDialog search={search} open={(view) => void navigate({ search: view })} close={close} />}
      </Suspense>
    </>
  );
}
