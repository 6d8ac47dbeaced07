// A trial's log, with what it is narrowed to and how much of it is here.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ask } from '../../api/client';
import { Empty, Failure, Loading, MoreFailed } from '../../components/states';
import { Lines } from './Lines';
import { LogEnds } from './LogEnds';
import { LogFilters } from './LogFilters';
import type { LogSearch } from './address';
import { countWords } from './count';
import { filterOf, queryOf, trialUrl, useLog } from './log';

interface Props { trial: number; restarts: number; isOver: boolean; search: LogSearch; change: (part: LogSearch) => void }
export function LogView({ trial, restarts, isOver, search, change }: Props) {
  const { q, regex, level, rank, pod, line, at } = search;
  const filter = useMemo(() => filterOf({ q, regex, level, rank, pod }), [q, regex, level, rank, pod]);
  // Where the page began: a line that is pointed to later is there already.
  const first = useRef({ at, asked: at });
  if (at === undefined) first.current.asked = undefined;
  const log = useLog(useMemo(() => trialUrl(trial, filter), [trial, filter]), isOver, first.current.asked);
  const { lines, isOld, error, trouble, isBegin, isEnd, again, isFollowed, setFollowed } = log;
  const isNarrowed = q !== undefined || level !== undefined || rank !== undefined || pod !== undefined;
  const isAllHere = isBegin && isEnd;
  const last = lines && Number(lines[lines.length - 1]?.id ?? 0);
  // Of a long log only a part is here: how much more there is to find the server says.
  const counted = useQuery({
    queryKey: ['log-count', trial, filter], staleTime: 30_000, enabled: isNarrowed && !isOld && lines !== undefined && !isAllHere,
    queryFn: ({ signal }) => ask('get', '/api/v1/trials/{id}/logs/count', { path: { id: trial }, query: queryOf(filter) as object, signal }),
  }).data;
  const what = isOld ? 'Looking …' : lines && countWords(lines.length, { isBegin, isEnd, isNarrowed }, counted);
  const toEnd = () => {
    if (at !== undefined) change({ line: undefined, at: undefined });
    if (!isEnd && first.current.asked === undefined) again();  // where the address named a place, it is read anew without that
    setFollowed(true);
  };
  return (
    <section className="stack">
      <div className="spread">
        <LogFilters trial={{ id: trial, restarts, last }} search={search}
          change={(part) => change({ ...part, line: undefined, at: undefined })} />
        <LogEnds log={log} what={what} toEnd={toEnd} />
      </div>
      {!error && trouble && <MoreFailed error={trouble} />}
      {error ? <Failure what="The log" error={error} again={again} />
        : !lines ? <Loading what="the log" />
          : lines.length === 0 ? <div className="card"><Empty title="No lines">{isNarrowed ? 'Nothing in the log is like that.' : 'The log begins when the trial starts.'}</Empty></div>
            : <Lines lines={lines} chosen={line} choose={(one) => change({ line: Number(one.id), at: one.time })} isFollowed={isFollowed && isEnd} setFollowed={setFollowed} />}
    </section>
  );
}
