// Experiments or trials beside each other: their curves in one chart, their metrics, and the settings in which they differ.
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Trial } from '../../api/queries';
import { searchQuery, trialQuery } from '../../api/queries';
import { LookControls, MetricChart, useLook } from '../../charts/MetricChart';
import { firstMetric } from '../../charts/first';
import { Heading } from '../../components/Heading';
import { several } from '../../components/several';
import { Empty, Failure, Loading, NotUpToDate } from '../../components/states';
import { metric } from '../../lib/format';
import { isOver } from '../../lib/state';
import { useInterval, useLive } from '../../live/client';
import { differences } from './differences';
import { isWatched, topicsOf } from './topics';
import './compare.css';

interface Thing { key: number; name: string; isExperiment: boolean; trial: Trial | undefined; config: Record<string, unknown>; state: string; searched: string }
const kGroups: Record<string, string> = { avg_metrics: 'training', validation_metrics: 'validation' };
const field = (id: number) => ({ kind: 'field', location: 'LOCATION_TYPE_EXPERIMENT', columnName: 'id', operator: '=', value: id });

function useExperiments(ids: number[]) {
  const filter = JSON.stringify({ filterGroup: { kind: 'group', conjunction: 'or', children: ids.map(field) }, showArchived: true });
  const query = useQuery({ ...searchQuery({ offset: 0, limit: 100, filter, sort: 'id=asc' }), enabled: ids.length > 0 });
  const things = useMemo(() => query.data?.experiments?.map(({ experiment, bestTrial }): Thing => ({
    key: experiment?.id ?? 0, name: experiment?.name ?? '', isExperiment: true, trial: bestTrial ?? undefined, config: experiment?.config ?? {}, state: experiment?.state ?? '', searched: experiment?.searcherMetric ?? '',
  })), [query.data]);
  const { gone, failed = gone[0], stale } = several([query]);
  return { things, failed, stale, again: () => void query.refetch() };
}

const kInTurnMs = 10_000;

function useTrials(ids: number[]) {
  const interval = useInterval(true);
  const queries = useQueries({
    queries: ids.map((id) => ({
      ...trialQuery(id),
      refetchInterval: (query: { state: { data?: { trial?: Trial } | undefined } }) => (isOver(query.state.data?.trial?.state ?? '') ? false : isWatched(ids) ? interval : kInTurnMs),
    })),
  });
  const { found, isWhole, failed, stale } = several(queries);
  const things = isWhole ? found.map(({ trial }): Thing => ({
    key: trial?.id ?? 0, name: `of experiment ${trial?.experimentId}`, isExperiment: false, trial, config: trial?.hparams ?? {}, state: trial?.state ?? '', searched: '',
  })) : undefined;
  return { things, failed, stale, again: () => queries.forEach(({ error, refetch }) => { if (error) void refetch(); }) };
}

// Every metric of some trial as GROUP.NAME.
function metricsOf(things: readonly Thing[]): string[] {
  const found = new Set<string>();
  for (const { trial } of things) {
    for (const [group, names] of Object.entries(trial?.summaryMetrics ?? {})) {
      for (const [name, summary] of Object.entries(names ?? {})) if (summary?.type === undefined || summary.type === 'number') found.add(`${kGroups[group] ?? group}.${name}`);
    }
  }
  return [...found].sort();
}
function lastOf({ trial }: Thing, id: string): unknown {
  const place = id.indexOf('.');
  const group = id.slice(0, place);
  const kept = Object.entries(kGroups).find(([, name]) => name === group)?.[0] ?? group;
  return trial?.summaryMetrics?.[kept]?.[id.slice(place + 1)]?.last;
}

function Table({ things, rows, label, first }: { things: readonly Thing[]; rows: readonly { name: string; values: readonly string[] }[]; label: string; first: string }) {
  return (
    <div className="compare-frame" tabIndex={0} role="group" aria-label={label}>
      <table className="compare">
        <thead><tr><th scope="col">{first}</th>{things.map(({ key, name, isExperiment }) => (
          <th scope="col" key={key} title={name}>{isExperiment ? <Link to="/experiments/$id/$tab" params={{ id: String(key), tab: 'overview' }}>#{key} {name}</Link>
            : <Link to="/trials/$id/$tab" params={{ id: String(key), tab: 'metrics' }}>Trial {key}</Link>}</th>))}</tr></thead>
        <tbody>{rows.map(({ name, values }) => <tr key={name}><th scope="row">{name}</th>{values.map((value, i) => <td key={i} title={value}>{value}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function Compared({ things }: { things: readonly Thing[] }) {
  const { metric: asked } = useSearch({ from: '/compare' });
  const navigate = useNavigate({ from: '/compare' });
  const [look, setLook] = useLook();
  const metrics = useMemo(() => metricsOf(things), [things]);
  const shown = asked !== undefined && metrics.includes(asked) ? asked : firstMetric(metrics, things[0]?.searched ?? '', things.length);
  const trials = useMemo(() => things.flatMap(({ trial }) => trial?.id ?? []), [things]);
  const nameOf = useMemo(() => {
    const names = new Map(things.map(({ key, name, isExperiment, trial }) => [trial?.id, isExperiment ? `#${key} ${name}` : `Trial ${key}`]));
    return (trial: number) => names.get(trial) ?? `Trial ${trial}`;
  }, [things]);
  const differ = useMemo(() => differences(things.map(({ config }) => config)), [things]);
  return (
    <>
      <section className="card stack">
        {shown === undefined ? <Empty title="No metrics">None of these reported anything yet.</Empty> : (
          <>
            <div className="spread">
              <label>Metric <select className="input" value={shown} onChange={(event) => void navigate({ search: (before) => ({ ...before, metric: event.target.value }), replace: true, resetScroll: false })}>{metrics.map((one) => <option key={one}>{one}</option>)}</select></label>
              <LookControls look={look} change={setLook} />
            </div>
            <MetricChart topic={topicsOf(things.map(({ state }) => state), [])[0]} trialIds={trials} metricId={shown} look={look} isUnfinished={things.some(({ state }) => !isOver(state))} nameOf={nameOf} />
          </>
        )}
      </section>
      {metrics.length > 0 && (
        <section className="card stack"><h2>{things[0]?.isExperiment ? 'Last values of the best trials' : 'Last values'}</h2>
          <Table things={things} first="Metric" label="Metrics" rows={metrics.map((name) => ({ name, values: things.map((thing) => metric(lastOf(thing, name))) }))} /></section>
      )}
      <section className="card stack"><h2>{things[0]?.isExperiment ? 'Configuration: what differs' : 'Hyperparameters: what differs'}</h2>
        {differ.length === 0 ? <Empty title="They do not differ" /> : <Table things={things} first="Setting" label="Differences" rows={differ} />}</section>
    </>
  );
}

export function ComparePage() {
  const { experiments = [], trials = [] } = useSearch({ from: '/compare' });
  const byExperiment = useExperiments(experiments);
  const byTrial = useTrials(trials);
  const { things, failed, stale, again } = experiments.length > 0 ? byExperiment : byTrial;
  useLive(...topicsOf(things?.map(({ state }) => state), trials));
  const count = things?.length ?? 0;
  const missing = (experiments.length || trials.length) - count;
  return (
    <>
      <Heading title="Compare">Compare {count > 0 && <span className="soft number">{count} {experiments.length > 0 ? 'experiments' : 'trials'}</span>}</Heading>
      {stale && <NotUpToDate {...stale} />}
      {things !== undefined && missing > 0 && <p className="notice">{missing} of these are not there, or not yours to see.</p>}
      {failed ? <Failure what="What is to be compared" error={failed} again={again} /> : things === undefined ? <Loading what="what is to be compared" />
        : count === 0 ? <div className="card"><Empty title="There is nothing to compare">Tick some rows of the <Link to="/experiments">experiments</Link>, or of an experiment's trials, and press <em>Compare</em>.</Empty></div>
          : <Compared things={things} />}
    </>
  );
}
