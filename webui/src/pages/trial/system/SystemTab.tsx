// Processors, memory, disks and network while the trial ran.
import { useQuery } from '@tanstack/react-query';
import type { Trial } from '../../../api/queries';
import { LazyPlot } from '../../../charts/LazyPlot';
import { Empty, Loaded } from '../../../components/states';
import { isOver } from '../../../lib/state';
import { pause } from '../../../live/turn';
import type { Measured } from './system';
import { kMostPoints, kMostRead, kMostSeries, systemCharts } from './system';

const words = (count: number) => count.toLocaleString('en');
function WhatIsCut({ series, cut }: Measured) {
  return (
    <>
      {series > kMostSeries && <p className="soft">The first {kMostSeries} of {words(series)} curves.</p>}
      {cut === 'oldest' && <p className="soft">The newest {words(kMostPoints)} points of each curve.</p>}
      {cut === 'newest' && <p className="notice">There is more than this page reads: curves end at their point {words(kMostRead)}.</p>}
    </>
  );
}

export default function SystemTab({ trial }: { trial: Trial }) {
  const id = trial.id ?? 0;
  // Read whole, so not anew for each report: the profiler reports every ten seconds or less often, and what takes long is read less often.
  const query = useQuery({
    queryKey: ['system', id], staleTime: 10_000, queryFn: ({ signal }) => systemCharts(id, signal),
    refetchInterval: ({ state }) => (isOver(trial.state ?? '') ? false : Math.max(15_000, pause(state.data?.took ?? 0))),
  });
  return (
    <Loaded query={query} what="system metrics">
      {(measured) => (measured.charts.length === 0
        ? <div className="card"><Empty title="Nothing was measured">Set <code>profiling.enabled: true</code> in the configuration, or call <code>core_context.profiler.on()</code>, to see here how busy processors, memory, disks and network are.</Empty></div>
        : (
          <>
            <WhatIsCut {...measured} />
            <div className="chart-grid">
              {measured.charts.map(({ name, curves }) => (
                <section className="card stack" key={name}>
                  <h2>{name}</h2>
                  <LazyPlot label={name} curves={curves} axis="time" weight={0} isLog={false} />
                </section>
              ))}
            </div>
          </>
        ))}
    </Loaded>
  );
}
