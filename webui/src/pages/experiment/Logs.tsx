// The log of one of the experiment's trials, or of all of them together.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Experiment } from '../../api/queries';
import { trialQuery, trialsQuery } from '../../api/queries';
import { Empty, Loaded, Loading } from '../../components/states';
import { isOver, stateWords } from '../../lib/state';
import { useInterval, useLive } from '../../live/client';
import { LogView } from '../trial/LogView';
import { MergedLog } from './MergedLog';
import { askedAlone, firstLog } from './first-log';

export default function Logs({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const query = useQuery({ ...trialsQuery(id, 500), refetchInterval: useInterval(!isOver(experiment.state ?? '')) });
  const search = useSearch({ from: '/experiments/$id/$tab' });
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  // Whoever reads it stays in it, whatever other trials start, fail or end meanwhile.
  const [first, setFirst] = useState<number>();
  const found = first ?? firstLog(query.data?.trials ?? []);
  if (found !== first) setFirst(found);
  const chosen = search.trial ?? found;
  const alone = askedAlone(chosen, query.data?.trials);
  useLive(...(alone !== undefined ? [`trial:${alone}`] : []));
  const interval = useInterval(true);
  const other = useQuery({ ...trialQuery(alone ?? 0), enabled: alone !== undefined, refetchInterval: ({ state }) => (isOver(state.data?.trial?.state ?? '') ? false : interval) });
  return (
    <Loaded query={query} what="the trials">
      {({ trials = [] }) => {
        if (chosen === undefined) return <div className="card"><Empty title="No trials yet">Each trial has a log, from its start on.</Empty></div>;
        const trial = trials.find((one) => one.id === chosen) ?? other.data?.trial;
        const choose = (value: string) => void navigate({
          search: ({ q, regex, level }) => ({ q, regex, level, ...(value === 'all' ? { all: true as const } : { trial: Number(value) }) }), resetScroll: false,
        });
        return (
          <>
            <div className="cluster">
              <label>Log of <select className="input" value={search.all ? 'all' : chosen} onChange={(event) => choose(event.target.value)}>
                <option value="all">all trials together</option>
                {alone !== undefined && <option value={chosen}>trial {chosen}</option>}
                {trials.map((one) => <option key={one.id} value={one.id}>trial {one.id}: {stateWords(one.state ?? '')[0].toLowerCase()}{one.restarts ? `, ${one.restarts} ${one.restarts === 1 ? 'restart' : 'restarts'}` : ''}</option>)}
              </select></label>
              {!search.all && <Link to="/trials/$id/$tab" params={{ id: String(chosen), tab: 'logs' }}>Trial {chosen}</Link>}
            </div>
            {search.all ? <MergedLog experiment={id} trials={trials} search={search} change={(part) => void navigate({ search: (before) => ({ ...before, ...part, all: true as const }), replace: true, resetScroll: false })} />
              : other.isLoading ? <Loading what="the trial" />
              : <LogView key={chosen} trial={chosen} restarts={trial?.restarts ?? 0} isOver={isOver(trial?.state ?? experiment.state ?? '')} search={search}
              change={(part) => void navigate({ search: (before) => ({ ...before, ...part, trial: chosen }), replace: part.line === undefined, resetScroll: false })} />}
          </>
        );
      }}
    </Loaded>
  );
}
