// A trial's log: only the lines in view are in the document; the end is followed while one looks at it.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { Empty, Failure, Loading } from '../../components/states';
import { pieces } from '../../lib/ansi';
import { LogFilters } from './LogFilters';
import type { LogSearch } from './address';
import { kLevels } from './address';
import { useLog } from './log';
import type { Line } from './window';

const kLine = 20;

interface LinesProps { lines: readonly Line[]; chosen: number | undefined; choose: (line: Line) => void; isFollowed: boolean; setFollowed: (value: boolean) => void }
function Lines({ lines, chosen, choose, isFollowed, setFollowed }: LinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: lines.length, getScrollElement: () => frame.current, estimateSize: () => kLine, overscan: 20, getItemKey: (index) => lines[index]!.id || index });
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
  const filter = useMemo(() => ({
    levels: level ? kLevels.slice(kLevels.indexOf(level)).map((one) => `LOG_LEVEL_${one}`) : [], text: q ?? '', isRegex: regex === true,
    ranks: rank === undefined ? [] : [rank], pods: pod ? [pod] : [],
  }), [q, regex, level, rank, pod]);
  // Where the page began: a line that is pointed to later is there already.
  const first = useRef({ at, asked: at });
  if (at === undefined) first.current.asked = undefined;
  const { lines, isOld, error, isBegin, isEnd, older, newer, again, isFollowed, setFollowed } = useLog(trial, filter, isOver, first.current.asked);
  const isNarrowed = q !== undefined || level !== undefined || rank !== undefined || pod !== undefined;
  const what = isOld ? 'Looking …' : lines && `${lines.length.toLocaleString('en')} ${lines.length === 1 ? 'line' : 'lines'}${isBegin && isEnd ? (isNarrowed ? ' found' : '') : isBegin ? ' from the begin' : isEnd ? ' from the end' : ''}`;
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
