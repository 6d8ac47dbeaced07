// What the hyperparameters do to the metric: parallel coordinates, their importance, each against the metric, two together.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef } from 'react';
import type { Experiment } from '../../../api/queries';
import { allTrialsQuery } from '../../../api/trials';
import type { Column } from '../../../components/VirtualTable';
import { VirtualTable } from '../../../components/VirtualTable';
import { Empty, Loaded } from '../../../components/states';
import { grouped, metric } from '../../../lib/format';
import { isOver } from '../../../lib/state';
import { useInTurn } from '../../../live/turn';
import type { TabSearch } from '../address';
import { HeatMap } from './HeatMap';
import { Importance } from './Importance';
import { Parallel } from './Parallel';
import { Ranges } from './Ranges';
import { Scatter } from './Scatter';
import type { Row } from './axes';
import { categoryOf } from './axes';
import type { Kept } from './brushes';
import { brushesOf, isIn, withBrush } from './brushes';
import type { Drawn } from './rows';
import { drawnOf, goalOf, metricsOf } from './rows';
import './hyperparameters.css';

const kMostScatters = 24;

// `changed`: when the experiment was told last.
export default function HyperparametersTab({ experiment, changed }: { experiment: Experiment; changed: number }) {
  const id = experiment.id ?? 0;
  const query = useQuery(allTrialsQuery(id));
  useInTurn(['all-trials', id], changed, query.data?.took ?? 0);
  const { brush: chosenRanges, goal: asked, best } = useSearch({ from: '/experiments/$id/$tab' });
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  const names = useMemo(() => metricsOf(query.data?.trials ?? []), [query.data]);
  const goal = goalOf(asked, names, experiment.searcherMetric ?? '');
  const smaller = (experiment.config?.['searcher'] as { smaller_is_better?: boolean } | undefined)?.smaller_is_better !== false;
  const brushes = useMemo(() => brushesOf(chosenRanges ?? {}, goal), [chosenRanges, goal]);
  const isSmallerBetter = best === undefined ? smaller : best === 'smallest';
  const show = (part: Pick<TabSearch, 'goal' | 'best' | 'brush'>) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });

  const drawn = useRef<Drawn>(undefined);
  drawn.current = useMemo(
    () => drawnOf(query.data?.trials ?? [], goal, (experiment.config?.['hyperparameters'] ?? {}) as Record<string, unknown>, drawn.current), [query.data, goal, experiment.config],
  );
  const { rows, axes, scale } = drawn.current;
  const all = useMemo(() => [...axes, scale], [axes, scale]);
  const isKept = useMemo(() => rows.map((row) => isIn(row, all, brushes)), [rows, all, brushes]);
  const kept = useMemo(() => rows.filter((_, i) => isKept[i]).sort((a, b) => (a.metric - b.metric) * (isSmallerBetter ? 1 : -1)), [rows, isKept, isSmallerBetter]);
  const columns = useMemo((): Column<Row>[] => [
    { key: 'trial', name: 'Trial', width: '100px', cell: ({ trial }) => <Link to="/trials/$id/$tab" params={{ id: String(trial), tab: 'metrics' }}>{trial}</Link> },
    { key: 'metric', name: goal, width: '150px', isNumber: true, cell: (row) => metric(row.metric) },
    ...axes.map(({ name }): Column<Row> => ({
      key: `hp.${name}`, name, width: 'minmax(110px, 1fr)', isNumber: true, cell: ({ values }) => (typeof values[name] === 'number' ? metric(values[name]) : categoryOf(values[name])),
    })),
  ], [axes, goal]);

  const brush = useCallback((name: string, kept: Kept | undefined) => void navigate({
    search: (before) => {
      const after = withBrush(before.brush ?? {}, name, goal, kept);
      return { ...before, brush: Object.keys(after).length > 0 ? after : undefined };
    },
    replace: true, resetScroll: false,
  }), [navigate, goal]);
  const open = useCallback((trial: number) => void navigate({ to: '/trials/$id/$tab', params: { id: String(trial), tab: 'metrics' } }), [navigate]);
  return (
    <Loaded query={query} what="the trials">
      {({ trials, total }) => (rows.length === 0 ? <div className="card"><Empty title="No trial has a result yet">What the hyperparameters do shows as soon as trials report validation metrics.</Empty></div>
        : axes.length === 0 ? <div className="card"><Empty title="All trials have the same hyperparameters">A search whose trials differ shows here what their values do to the metric.</Empty></div> : (
          <>
            <section className="card stack">
              <div className="spread">
                <h2>{grouped(kept.length)} of {grouped(rows.length)} trials</h2>
                <div className="cluster">
                  <label>Metric <select className="input" value={goal} onChange={(event) => show({ goal: event.target.value })}>{names.map((name) => <option key={name}>{name}</option>)}</select></label>
                  <label className="cluster"><input type="checkbox" checked={isSmallerBetter} onChange={({ target: { checked } }) => show({ best: checked === smaller ? undefined : checked ? 'smallest' : 'largest' })} /> Smaller is better</label>
                  {Object.keys(brushes).length > 0 && <button className="button" onClick={() => show({ brush: undefined })}>Keep all</button>}
                </div>
              </div>
              {total > trials.length && <p className="soft">Of the newest {grouped(trials.length)} of {grouped(total)} trials.</p>}
              <Parallel rows={rows} axes={all} goal={goal} isSmallerBetter={isSmallerBetter} brushes={brushes} brush={brush} open={open} />
              <Ranges axes={all} goal={goal} brushes={brushes} brush={brush} />
            </section>
            <Importance experiment={id} ended={trials.filter(({ state }) => isOver(state ?? '')).length} />
            {axes.length > kMostScatters && <p className="soft">The first {kMostScatters} of {axes.length} hyperparameters.</p>}
            <div className="scatter-grid">
              {axes.slice(0, kMostScatters).map((axis) => <Scatter key={axis.name} rows={rows} isKept={isKept} x={axis} y={scale} goal={goal} open={open} />)}
            </div>
            {axes.length > 1 && <HeatMap rows={kept} axes={axes} goal={goal} isSmallerBetter={isSmallerBetter} />}
            <h2>The chosen trials, the best first</h2>
            {kept.length === 0 ? <div className="card"><Empty title="No trial is in these ranges">Widen one of them.</Empty></div>
              : <VirtualTable label="Chosen trials" columns={columns} count={kept.length} rowAt={(index) => kept[index]} rowKey={({ trial }) => trial} />}
          </>
        ))}
    </Loaded>
  );
}
