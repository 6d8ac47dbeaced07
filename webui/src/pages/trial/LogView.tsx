// A trial's log: only the lines in view are in the document; the end is followed while one looks at it.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Empty, Failure, Loading } from '../../components/states';
import { pieces } from '../../lib/ansi';
import { useLog } from './log';
import type { Line } from './window';

const kLevels = ['TRACE', 'DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'];
const kLine = 20;

function Lines({ lines, isFollowed, setFollowed }: { lines: readonly Line[]; isFollowed: boolean; setFollowed: (value: boolean) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: lines.length, getScrollElement: () => frame.current, estimateSize: () => kLine, overscan: 20, getItemKey: (index) => lines[index]!.id || index });
  useEffect(() => {
    if (isFollowed && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [lines, isFollowed]);
  return (
    <div className="log" ref={frame} tabIndex={0} role="log" aria-label="Log" aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => setFollowed(scrollHeight - scrollTop - clientHeight < 2 * kLine)}>
      <div className="log-body" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const { time, level, text } = lines[item.index]!;
          return (
            <div key={item.key} className={`log-line ${kLevels.includes(level) ? level : ''}`} style={{ transform: `translateY(${item.start}px)` }}>
              <time dateTime={time} title={time}>{time.slice(11, 19)}</time>
              <span>{pieces(text).map((piece, i) => <span key={i} className={piece.classes}>{piece.text}</span>)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

export function LogView({ trial, isOver }: { trial: number; isOver: boolean }) {
  const [level, setLevel] = useState('');
  const [text, setText] = useState('');
  const [isRegex, setRegex] = useState(false);
  const [sent, setSent] = useState('');
  useEffect(() => { const timer = setTimeout(() => setSent(text), 300); return () => clearTimeout(timer); }, [text]);
  const filter = useMemo(() => ({
    levels: level ? kLevels.slice(kLevels.indexOf(level)).map((one) => `LOG_LEVEL_${one}`) : [], text: sent, isRegex,
  }), [level, sent, isRegex]);
  const { lines, error, isBegin, older, again, isFollowed, setFollowed } = useLog(trial, filter, isOver);
  return (
    <section className="stack">
      <div className="spread">
        <div className="cluster" role="search">
          <label><span className="hidden-label">Search in the log</span><input className="input" type="search" placeholder="Search in the log" value={text} onChange={(event) => setText(event.target.value)} /></label>
          <label className="cluster"><input type="checkbox" checked={isRegex} onChange={(event) => setRegex(event.target.checked)} /> Regular expression</label>
          <label><span className="hidden-label">Least level</span><select className="input" value={level} onChange={(event) => setLevel(event.target.value)}>
            <option value="">All levels</option>{kLevels.slice(1).map((one) => <option key={one} value={one}>{one.toLowerCase()} and above</option>)}</select></label>
        </div>
        <div className="cluster">
          {lines && <span className="soft number">{lines.length.toLocaleString('en')} lines{isBegin ? '' : ' from the end'}</span>}
          {!isBegin && lines && <button className="button" onClick={() => { setFollowed(false); void older(); }}>Load older lines</button>}
          {!isFollowed && <button className="button" onClick={() => setFollowed(true)}>To the end</button>}
        </div>
      </div>
      {error ? <Failure what="The log" error={error} again={again} />
        : !lines ? <Loading what="the log" />
          : lines.length === 0 ? <div className="card"><Empty title="No lines">{filter.text || level ? 'Nothing in the log is like that.' : 'The log begins when the trial starts.'}</Empty></div>
            : <Lines lines={lines} isFollowed={isFollowed} setFollowed={setFollowed} />}
    </section>
  );
}
