// The lines of a log: only those in view are in the document; the end is followed while one looks at it.
import { useVirtualizer } from '@tanstack/react-virtual';
import type { KeyboardEvent, ReactNode } from 'react';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { pieces } from '../../lib/ansi';
import { clock, earlierDay, whole } from '../../lib/format';
import { useSliced } from '../../lib/slices';
import { kLevels } from './address';
import { scrolledTo, stepped } from './step';
import type { Line } from './window';
import { moved } from './window';

const kLine = 20;
const idOf = ({ id }: Line) => id;

interface RowProps<L extends Line> { line: L; isPointed: boolean; isCurrent: boolean; choose: ((line: L) => void) | undefined; nameOf: ((line: L) => ReactNode) | undefined }
function Drawn<L extends Line>({ line, isPointed, isCurrent, choose, nameOf }: RowProps<L>) {
  const { id, time, level, text } = line;
  return (
    <div className={`log-line ${kLevels.includes(level) ? level : ''}${isPointed ? ' pointed' : ''}${isCurrent ? ' current' : ''}`}>
      {choose && <button className="log-number" tabIndex={-1} aria-label={`Link to line ${id}`} title="Link to this line" onClick={() => choose(line)}>{id}</button>}
      {nameOf?.(line)}
      <time dateTime={time} title={whole(time)}>{clock(time)}</time>
      <span>{pieces(text).map((piece, i) => <span key={i} className={piece.classes}>{piece.text}</span>)}</span>
    </div>
  );
}
// A step of the wheel draws the lines that come into view, not those that stay.
const Row = memo(Drawn) as typeof Drawn;

interface Props<L extends Line> {
  lines: readonly L[]; isFollowed: boolean; setFollowed: (value: boolean) => void; chosen?: number | undefined; choose?: (line: L) => void;
  keyOf?: (line: L) => string; nameOf?: (line: L) => ReactNode;
}
// `choose`: what the number of a line does; without it there are no numbers. `keyOf` and `nameOf`: of lines of several logs; they are the
// same functions each time.
export function Lines<L extends Line>({ lines, isFollowed, setFollowed, chosen, choose, keyOf = idOf, nameOf }: Props<L>) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: lines.length, getScrollElement: () => frame.current, estimateSize: () => kLine, overscan: 20 });
  const chooses = useRef(choose);
  chooses.current = choose;
  const chooseNow = useCallback((line: L) => chooses.current?.(line), []);
  // What one reads stays where it is when lines before it come or go.
  const drawn = useRef(lines);
  useLayoutEffect(() => {
    const by = isFollowed || !frame.current ? 0 : moved(drawn.current, lines, Math.floor(frame.current.scrollTop / kLine), keyOf);
    drawn.current = lines;
    if (by !== 0) frame.current!.scrollTop += by * kLine;
  }, [lines, isFollowed, keyOf]);
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
  // By keyboard: thousands of links would be thousands of steps of the Tab key.
  const [current, setCurrent] = useState<string>();
  const at = current === undefined ? -1 : lines.findIndex((line) => keyOf(line) === current);
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const { key, target, currentTarget: { scrollTop, clientHeight }, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (!choose || altKey || ctrlKey || metaKey || shiftKey) return;
    if (key === 'Enter' && target === frame.current && lines[at]) return chooseNow(lines[at]);
    const next = stepped(at, key, lines.length, [Math.ceil(scrollTop / kLine), Math.floor((scrollTop + clientHeight) / kLine) - 1]);
    const line = next === undefined ? undefined : lines[next];
    if (next === undefined || !line) return;
    event.preventDefault();
    if (key === 'ArrowUp') setFollowed(false);  // else new lines would take it out of view
    frame.current!.scrollTop = scrolledTo(next, kLine, scrollTop, clientHeight);
    setCurrent(keyOf(line));
  };
  const inView = useSliced(rows.getVirtualItems(), isFollowed);  // the end is followed at once: it would flicker
  const top = lines[Math.min(Math.floor((rows.scrollOffset ?? 0) / kLine), lines.length - 1)];
  const day = top && earlierDay(top.time);
  return (
    <div className="log" ref={frame} tabIndex={0} role="log" aria-label="Log" aria-live="off" onKeyDown={press}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => setFollowed(scrollHeight - scrollTop - clientHeight < 2 * kLine)}>
      {lines[at] && <span className="hidden-label" aria-live="polite">Line {lines[at].id}: {pieces(lines[at].text).map(({ text }) => text).join('')}</span>}
      {day && <div className="log-day"><span>{day}</span></div>}
      <div className="log-body" style={{ height: rows.getTotalSize() }}>
        <div className="log-window" style={{ transform: `translateY(${inView[0]?.start ?? 0}px)` }}>
          {inView.map(({ index }) => {
            const line = lines[index];  // there may be fewer by now
            return line && <Row key={keyOf(line) || index} line={line} isPointed={chosen !== undefined && line.id === String(chosen)} isCurrent={index === at} choose={choose && chooseNow} nameOf={nameOf} />;
          })}
        </div>
      </div>
    </div>
  );
}
