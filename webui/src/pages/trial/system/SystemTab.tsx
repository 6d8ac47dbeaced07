// Processors, memory, disks and network while the trial ran.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Trial } from '../../../api/queries';
import { LazyPlot } from '../../../charts/LazyPlot';
import { Empty, Loaded } from '../../../components/states';
import { isOver } from '../../../lib/state';
import { pause } from '../../../live/turn';
import type { Measured } from './system';
import { kMostPoints, kMostSeries, systemCharts } from './system';

const words = (count: number) => count.toLocaleString('en');
function WhatIsCut({ series, cut }: Measured) {
  return (
    <>
      {series > kMostSeries && <p className="soft">The first {kMostSeries} of {words(series)} curves.</p>}
      {cut === 'oldest' && <p className="soft">The newest {words(kMostPoints)} points of each curve.</p>}
      {cut === 'newest' && <p className="notice">There is much to read: what was measured later comes in a moment.</p>}
    </>
  );
}

export default function SystemTab({ trial }: { trial: Trial }) {
  const id = trial.id ?? 0;
  const queries = useQueryClient();
  // The profiler reports every ten seconds or less often, and what takes long is read less often.
  const query = useQuery({
    queryKey: ['system', id], staleTime: 10_000, structuralSharing: false,  // what is the same is so already
    queryFn: ({ signal, queryKey }) => systemCharts(id, signal, queries.getQueryData<Measured>(queryKey)),
    refetchInterval: ({ state: { data } }) => (data?.cut === 'newest' ? pause(data.took) : isOver(trial.state ?? '') ? false : Math.max(15_000, pause(data?.took ?? 0))),
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
