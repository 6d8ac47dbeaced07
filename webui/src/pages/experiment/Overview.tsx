// The curves of an experiment's trials.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Experiment } from '../../api/queries';
import { metricNamesQuery, trialsQuery } from '../../api/queries';
import { LookControls, MetricChart, useLook } from '../../charts/MetricChart';
import { firstMetric } from '../../charts/first';
import { Empty, Loaded } from '../../components/states';
import { isOver } from '../../lib/state';
import { useInterval } from '../../live/client';

// Why it reported nothing stands in the log of one of its trials.
function NeverReported({ trial }: { trial: number | undefined }) {
  return (
    <Empty title="No metrics">
      It ended before a trial reported anything.{' '}
      {trial !== undefined && <Link to="/trials/$id/$tab" params={{ id: String(trial), tab: 'logs' }}>The log of trial {trial} says why.</Link>}
    </Empty>
  );
}

export function Overview({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const isUnfinished = !isOver(experiment.state ?? '');
  const interval = useInterval(isUnfinished);
  const trials = useQuery({ ...trialsQuery(id), refetchInterval: interval });
  const names = useQuery({ ...metricNamesQuery(id), refetchInterval: interval });
  const [look, setLook] = useLook();
  const [chosen, setChosen] = useState<string>();
  const list = trials.data?.trials;
  const ids = useMemo(() => (list ?? []).map((trial) => trial.id ?? 0).sort((a, b) => a - b), [list]);
  return (
    <section className="card stack">
      <Loaded query={names} what="the metrics">
        {(metrics) => {
          const all = metrics.map(({ group, name }) => `${group}.${name}`);
          const shown = chosen ?? firstMetric(all, experiment.searcherMetric ?? '', experiment.numTrials ?? 0);
          if (shown === undefined && isUnfinished) return <Empty title="No metrics yet">Curves show here as soon as a trial reports something.</Empty>;
          if (shown === undefined) return <NeverReported trial={ids[0]} />;
          return (
            <>
              <div className="spread">
                <label>Metric <select className="input" value={shown} onChange={(event) => setChosen(event.target.value)}>{all.map((one) => <option key={one}>{one}</option>)}</select></label>
                <LookControls look={look} change={setLook} />
              </div>
              <Loaded query={trials} what="the trials">
                {({ pagination }) => (
                  <>
                    {(pagination?.total ?? 0) > ids.length && <p className="soft">The newest {ids.length} of {pagination?.total} trials.</p>}
                    <MetricChart experiment={id} trialIds={ids} metricId={shown} look={look} isUnfinished={isUnfinished} />
                  </>
                )}
              </Loaded>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
