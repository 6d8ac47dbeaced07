// Processors, memory, disks and network while the trial ran.
import { useQuery } from '@tanstack/react-query';
import type { Trial } from '../../../api/queries';
import { LazyPlot } from '../../../charts/LazyPlot';
import { Empty, Loaded } from '../../../components/states';
import { isOver } from '../../../lib/state';
import { systemCharts } from './system';

export default function SystemTab({ trial }: { trial: Trial }) {
  const id = trial.id ?? 0;
  // Read whole, so not anew for each report: the profiler reports every ten seconds or less often.
  const query = useQuery({ queryKey: ['system', id], staleTime: 10_000, queryFn: ({ signal }) => systemCharts(id, signal), refetchInterval: isOver(trial.state ?? '') ? false : 15_000 });
  return (
    <Loaded query={query} what="system metrics">
      {(charts) => (charts.length === 0
        ? <div className="card"><Empty title="Nothing was measured">Set <code>profiling.enabled: true</code> in the configuration, or call <code>core_context.profiler.on()</code>, to see here how busy processors, memory, disks and network are.</Empty></div>
        : (
          <div className="chart-grid">
            {charts.map(({ name, curves }) => (
              <section className="card stack" key={name}>
                <h2>{name}</h2>
                <LazyPlot label={name} curves={curves} axis="time" weight={0} isLog={false} />
              </section>
            ))}
          </div>
        ))}
    </Loaded>
  );
}
