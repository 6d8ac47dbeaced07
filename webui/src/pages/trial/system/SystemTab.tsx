// Processors, memory, disks and network while the trial ran.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Trial } from '../../../api/queries';
import { LazyPlot } from '../../../charts/LazyPlot';
import { Empty, Loaded } from '../../../components/states';
import { grouped } from '../../../lib/format';
import { isOver } from '../../../lib/state';
import type { Measured } from './system';
import { kMostPoints, kMostSeries, nextRead, systemCharts } from './system';

function WhatIsCut({ series, cut }: Measured) {
  return (
    <>
      {series > kMostSeries && <p className="soft">The first {kMostSeries} of {grouped(series)} curves.</p>}
      {cut === 'oldest' && <p className="soft">The newest {grouped(kMostPoints)} points of each curve.</p>}
      {cut === 'newest' && <p className="notice">There is much to read: what was measured later comes in a moment.</p>}
    </>
  );
}

export default function SystemTab({ trial }: { trial: Trial }) {
  const id = trial.id ?? 0;
  const isEnded = isOver(trial.state ?? '');
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['system', id], staleTime: 10_000, structuralSharing: false,  // what is the same is so already
    queryFn: ({ signal, queryKey }) => systemCharts(id, isEnded, signal, queries.getQueryData<Measured>(queryKey)),
    refetchInterval: ({ state: { data } }) => nextRead(data, isEnded),
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
