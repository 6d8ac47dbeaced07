// The logs of all trials of an experiment together, by time. Each line says whose it is; its number leads to that trial's log.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ask } from '../../api/client';
import type { Trial } from '../../api/queries';
import { colour } from '../../charts/curves';
import { Empty, Failure, Loading, MoreFailed } from '../../components/states';
import { isOver } from '../../lib/state';
import { Lines } from '../trial/Lines';
import { LogFilters } from '../trial/LogFilters';
import type { LogSearch } from '../trial/address';
import { countWords } from '../trial/count';
import { filterOf, queryOf } from '../trial/log';
import type { TrialLine } from './merged';
import { keyOf, useMergedLog } from './merged';

const name = ({ trial }: TrialLine) => (
  <span className="log-trial"><span className="swatch" style={{ background: colour(trial, document.documentElement.dataset['theme'] === 'dark') }} />trial {trial}</span>
);

interface Props { experiment: number; trials: readonly Trial[]; search: LogSearch; change: (part: LogSearch) => void }
export function MergedLog({ experiment, trials, search, change }: Props) {
  const { q, regex, level } = search;
  const navigate = useNavigate();
  const filter = useMemo(() => filterOf({ q, regex, level }), [q, regex, level]);
  const running = useMemo(() => trials.filter(({ state }) => !isOver(state ?? '')).flatMap(({ taskId }) => taskId ?? []), [trials]);
  const { lines, isOld, isBegin, isEnd, error, trouble, older, again, isFollowed, setFollowed } = useMergedLog(experiment, filter, running);
  const isNarrowed = q !== undefined || level !== undefined;
  const counted = useQuery({
    queryKey: ['log-count', 'all', experiment, filter], staleTime: 30_000, enabled: isNarrowed && !isOld && !isBegin,
    queryFn: ({ signal }) => ask('get', '/api/v1/experiments/{id}/logs/count', { path: { id: experiment }, query: queryOf(filter) as object, signal }),
  }).data;
  const open = ({ trial, id, time }: TrialLine) => void navigate({ to: '/trials/$id/$tab', params: { id: String(trial), tab: 'logs' }, search: { line: Number(id), at: time } });
  return (
    <section className="stack">
      <div className="spread">
        <LogFilters search={search} change={change} />
        <div className="cluster">
          {lines && <span className="soft number" role="status">{isOld ? 'Looking …' : countWords(lines.length, { isBegin, isEnd, isNarrowed }, counted)}</span>}
          {lines && !isBegin && <button className="button" onClick={() => { setFollowed(false); void older(); }}>Load older lines</button>}
          {!isFollowed && <button className="button" onClick={() => { setFollowed(true); if (!isEnd) again(); }}>To the end</button>}
        </div>
      </div>
      {!error && trouble && <MoreFailed error={trouble} />}
      {error ? <Failure what="The log" error={error} again={again} />
        : !lines ? <Loading what="the logs" />
          : lines.length === 0 ? <div className="card"><Empty title="No lines">{isNarrowed ? 'Nothing in the logs is like that.' : 'Logs begin when trials start.'}</Empty></div>
            : <Lines lines={lines} choose={open} isFollowed={isFollowed} setFollowed={(value) => setFollowed(value && isEnd)} keyOf={keyOf} nameOf={name} />}
    </section>
  );
}
