// A chart of every metric of every group that the trial reported.
import { useMemo } from 'react';
import type { Trial } from '../../api/queries';
import { LookControls, MetricChart, useLook } from '../../charts/MetricChart';
import { Empty } from '../../components/states';
import { isOver } from '../../lib/state';

// The server names the two usual groups as old clients know them.
const group = (name: string) => ({ avg_metrics: 'training', validation_metrics: 'validation' })[name] ?? name;
const kMostCharts = 24;
const kLong = 20_000;  // reports

export function Metrics({ trial }: { trial: Trial }) {
  const [look, setLook] = useLook();
  const all = Object.entries(trial.summaryMetrics ?? {}).flatMap(([name, metrics]) => Object.entries(metrics ?? {})
    .filter(([, summary]) => summary?.type === undefined || summary.type === 'number').map(([one, summary]) => ({ id: `${group(name)}.${one}`, isLong: (summary?.count ?? 0) > kLong })))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const ids = useMemo(() => [trial.id ?? 0], [trial.id]);
  if (all.length === 0 && isOver(trial.state ?? '')) return <div className="card"><Empty title="No metrics">Training ended before it reported anything. Its log says why.</Empty></div>;
  if (all.length === 0) return <div className="card"><Empty title="No metrics yet">Curves show here as soon as training reports something.</Empty></div>;
  return (
    <>
      <LookControls look={look} change={setLook} />
      {all.length > kMostCharts && <p className="soft">The first {kMostCharts} of {all.length} metrics.</p>}
      <div className="chart-grid">
        {all.slice(0, kMostCharts).map(({ id, isLong }) => (
          <section className="card stack" key={id}>
            <h2>{id}</h2>
            <MetricChart topic={`trial:${trial.id}`} isLong={isLong} trialIds={ids} metricId={id} look={look} isUnfinished={!isOver(trial.state ?? '')} />
          </section>
        ))}
      </div>
    </>
  );
}
