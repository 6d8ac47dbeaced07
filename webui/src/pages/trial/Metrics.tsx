// A chart of every metric of every group that the trial reported.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Trial } from '../../api/queries';
import { experimentQuery } from '../../api/queries';
import { LookControls, MetricChart, useLook } from '../../charts/MetricChart';
import { Empty } from '../../components/states';
import { isOver } from '../../lib/state';
import { metricsOf } from './metric-order';

const kMostCharts = 24;  // at first, and more each time

export function Metrics({ trial }: { trial: Trial }) {
  const [look, setLook] = useLook();
  const [most, setMost] = useState(kMostCharts);
  const experiment = useQuery(experimentQuery(trial.experimentId ?? 0));
  const all = metricsOf(trial, experiment.data?.experiment?.searcherMetric ?? '');
  const ids = useMemo(() => [trial.id ?? 0], [trial.id]);
  if (all.length === 0 && isOver(trial.state ?? '')) return <div className="card"><Empty title="No metrics">Training ended before it reported anything. Its log says why.</Empty></div>;
  if (all.length === 0) return <div className="card"><Empty title="No metrics yet">Curves show here as soon as training reports something.</Empty></div>;
  return (
    <>
      <LookControls look={look} change={setLook} />
      <div className="chart-grid">
        {all.slice(0, most).map(({ id, isLong }) => (
          <section className="card stack" key={id}>
            <h2>{id}</h2>
            <MetricChart topic={`trial:${trial.id}`} isLong={isLong} trialIds={ids} metricId={id} look={look} isUnfinished={!isOver(trial.state ?? '')} />
          </section>
        ))}
      </div>
      {all.length > most && <div className="cluster"><span className="soft">{most} of {all.length} metrics.</span><button className="button" onClick={() => setMost(most + kMostCharts)}>Show more</button></div>}
    </>
  );
}
