// The curves of an experiment's trials.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Experiment } from '../../api/queries';
import { metricNamesQuery, trialsQuery } from '../../api/queries';
import { LookControls, useLook } from '../../charts/MetricChart';
import { firstMetric } from '../../charts/first';
import { Empty, Loaded } from '../../components/states';
import { isOver } from '../../lib/state';
import { useInterval } from '../../live/client';
import { Curves } from './Curves';
import type { TabSearch } from './address';

// Why it reported nothing stands in the log of one of its trials.
function NeverReported({ experiment }: { experiment: number }) {
  const trial = useQuery(trialsQuery(experiment, 1)).data?.trials?.[0]?.id;
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
  const names = useQuery({ ...metricNamesQuery(id), refetchInterval: useInterval(isUnfinished) });
  const [kept, setLook] = useLook();
  const { metric: asked, axis = 'batches' } = useSearch({ from: '/experiments/$id/$tab' });
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  const look = { ...kept, axis };
  const show = (part: Pick<TabSearch, 'metric' | 'axis'>) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  return (
    <section className="card stack">
      <Loaded query={names} what="the metrics">
        {(metrics) => {
          const all = metrics.map(({ group, name }) => `${group}.${name}`);
          const shown = asked !== undefined && all.includes(asked) ? asked : firstMetric(all, experiment.searcherMetric ?? '', experiment.numTrials ?? 0);
          if (shown === undefined && isUnfinished) return <Empty title="No metrics yet">Curves show here as soon as a trial reports something.</Empty>;
          if (shown === undefined) return <NeverReported experiment={id} />;
          return (
            <>
              <div className="spread">
                <label>Metric <select className="input" value={shown} onChange={(event) => show({ metric: event.target.value })}>{all.map((one) => <option key={one}>{one}</option>)}</select></label>
                <LookControls look={look} change={(next) => { setLook(next); if (next.axis !== axis) show({ axis: next.axis === 'time' ? 'time' : undefined }); }} />
              </div>
              {/* Of each metric and axis its own: a zoom, and the curves that stay meanwhile, are of no other. */}
              <Curves key={`${shown} ${look.axis}`} experiment={id} metricId={shown} look={look} isUnfinished={isUnfinished} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
