// A trial's log: only the lines in view are in the document; the end is followed while one looks at it.
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { useEffect, useMemo, useRef } from 'react';
import { ask } from '../../api/client';
import { Empty, Failure, Loading } from '../../components/states';
import { pieces } from '../../lib/ansi';
import { LogFilters } from './LogFilters';
import type { LogSearch } from './address';
import { kLevels } from './address';
import { countWords } from './count';
import { filterOf, queryOf, useLog } from './log';
import type { Line } from './window';

const kLine = 20;

interface LinesProps<L extends Line> {
  lines: readonly L[]; chosen: number | undefined; choose: (line: L) => void; isFollowed: boolean; setFollowed: (value: boolean) => void;
  keyOf?: (line: L) => string; nameOf?: (line: L) => ReactNode;
}
// `keyOf` and `nameOf`: of lines of several logs.
export function Lines<L extends Line>({ lines, chosen, choose, isFollowed, setFollowed, keyOf, nameOf }: LinesProps<L>) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: lines.length, getScrollElement: () => frame.current, estimateSize: () => kLine, overscan: 20, getItemKey: (index) => keyOf?.(lines[index]!) ?? (lines[index]!.id || index) });
  useEffect(() => {
    if (isFollowed && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [lines, isFollowed]);
  const shown = useRef<number>(undefined);
  useEffect(() => {
    if (chosen === undefined || chosen === shown.current || !frame.current) return;
    const place = lines.findIndex(({ id }) => id === String(chosen));
    if (place < 0) return;
    shown.current = chosen;  // once: afterwards one scrolls as one likes
    frame.current.scrollTop = place * kLine - frame.current.clientHeight / 2;
  }, [lines, chosen]);
  return (
    <div className="log" ref={frame} tabIndex={0} role="log" aria-label="Log" aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => setFollowed(scrollHeight - scrollTop - clientHeight < 2 * kLine)}>
      <div className="log-body" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const line = lines[item.index]!;
          const { id, time, level, text } = line;
          return (
            <div key={item.key} className={`log-line ${kLevels.includes(level) ? level : ''}${id === String(chosen) ? ' pointed' : ''}`} style={{ transform: `translateY(${item.start}px)` }}>
              <button className="log-number" tabIndex={-1} title="Link to this line" onClick={() => choose(line)}>{id}</button>
              {nameOf?.(line)}
              <time dateTime={time} title={time}>{time.slice(11, 19)}</time>
              <span>{pieces(text).map((piece, i) => <span key={i} className={piece.classes}>{piece.text}</span>)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Props { trial: number; isOver: boolean; search: LogSearch; change: (part: LogSearch) => void }
export function LogView({ trial, isOver, search, change }: Props) {
  const { q, regex, level, rank, pod, line, at } = search;
  const filter = useMemo(() => filterOf({ q, regex, level, rank, pod }), [q, regex, level, rank, pod]);
  // Where the page began: a line that is pointed to later is there already.
  const first = useRef({ at, asked: at });
  if (at === undefined) first.current.asked = undefined;
  const { lines, isOld, error, isBegin, isEnd, older, newer, again, isFollowed, setFollowed } = useLog(trial, filter, isOver, first.current.asked);
  const isNarrowed = q !== undefined || level !== undefined || rank !== undefined || pod !== undefined;
  const isAllHere = isBegin && isEnd;
  // Of a long log only a part is here: how much more there is to find the server says.
  const counted = useQuery({
    queryKey: ['log-count', trial, filter], staleTime: 30_000, enabled: isNarrowed && !isOld && lines !== undefined && !isAllHere,
    queryFn: ({ signal }) => ask('get', '/api/v1/trials/{id}/logs/count', { path: { id: trial }, query: queryOf(filter) as object, signal }),
  }).data;
  const what = isOld ? 'Looking …' : lines && countWords(lines.length, { isBegin, isEnd, isNarrowed }, counted);
  const toEnd = () => { if (at !== undefined) change({ line: undefined, at: undefined }); else setFollowed(true); };
  return (
    <section className="stack">
      <div className="spread">
        <LogFilters trial={trial} search={search} change={(part) => change({ ...part, line: undefined, at: undefined })} />
        <div className="cluster">
          {lines && <span className="soft number" role="status">{what}</span>}
          {!isBegin && lines && <button className="button" onClick={() => { setFollowed(false); void older(); }}>Load older lines</button>}
          {!isEnd && lines && <button className="button" onClick={() => void newer()}>Load newer lines</button>}
          {(!isFollowed || !isEnd) && <button className="button" onClick={toEnd}>To the end</button>}
        </div>
      </div>
      {error ? <Failure what="The log" error={error} again={again} />
        : !lines ? <Loading what="the log" />
          : lines.length === 0 ? <div className="card"><Empty title="No lines">{isNarrowed ? 'Nothing in the log is like that.' : 'The log begins when the trial starts.'}</Empty></div>
            : <Lines lines={lines} chosen={line} choose={(one) => change({ line: Number(one.id), at: one.time })} isFollowed={isFollowed && isEnd} setFollowed={setFollowed} />}
    </section>
  );
}
