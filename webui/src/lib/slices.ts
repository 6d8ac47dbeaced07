// Rows that come into view while one scrolls are drawn a few a frame, so that the page answers between them: drawn and laid out together, those
// of one turn of the wheel would hold a slow machine for a tenth of a second.
import { useLayoutEffect, useRef, useState } from 'react';

interface Range { first: number; last: number }  // none where `last` is before `first`
const sizeOf = ({ first, last }: Range) => Math.max(0, last - first + 1);
const isSame = (one: Range, other: Range) => one.first === other.first && one.last === other.last;

// All of `wanted` that is drawn already, and at most `more` beside it, without a gap; from the middle where nothing of it is drawn.
export function grown(drawn: Range, wanted: Range, more: number): Range {
  const first = Math.max(drawn.first, wanted.first);
  const last = Math.min(drawn.last, wanted.last);
  if (first > last) {
    const begin = Math.max(wanted.first, Math.floor((wanted.first + wanted.last - more + 1) / 2));
    return { first: begin, last: Math.min(wanted.last, begin + more - 1) };
  }
  const after = Math.min(more, wanted.last - last);
  return { first: Math.max(wanted.first, first - (more - after)), last: last + after };
}

// How many rows fit into a frame is learned from how long the last ones took, in ms.
const kShort = 8;
const kLong = 24;
const kMost = 64;
// `drawn`: of `rows` that might have been drawn, those that were left to draw.
export function adapted(rows: number, drawn: number, took: number): number {
  if (took > kLong) return Math.max(1, Math.min(rows, drawn) >> 1);
  return took < kShort && drawn >= rows ? Math.min(kMost, rows * 2) : rows;
}
let rows = 4;

// Which of `items`, in the order of their indexes without a gap, are drawn now. All of them where it `isWhole`, and the first time.
export function useSliced<Item extends { index: number }>(items: readonly Item[], isWhole = false): readonly Item[] {
  const [, drawAgain] = useState(0);
  const begin = items[0]?.index ?? 0;
  const wanted = { first: begin, last: begin + items.length - 1 };
  const now = useRef({ drawn: undefined as Range | undefined, wanted, fresh: 0, isDue: false, isAsked: false, isLeft: false }).current;
  const { drawn, isDue } = now;
  const kept = drawn && grown(drawn, wanted, 0);
  const shown = isWhole || !kept ? wanted : isDue ? grown(kept, wanted, rows) : kept;
  // A page that the next one's code is waited for behind is left, and may come back.
  useLayoutEffect(() => {
    now.isLeft = now.isAsked = false;
    return () => { now.isLeft = true; };
  }, [now]);
  useLayoutEffect(() => {
    if (drawn !== undefined || items.length > 0) now.drawn = shown;  // before the list has a height it wants nothing
    now.wanted = wanted;
    if (isDue && kept) now.fresh = sizeOf(shown) - sizeOf(kept);
    now.isDue = false;
    const ask = () => {
      if (now.isLeft || now.isAsked || now.drawn === undefined || isSame(now.drawn, now.wanted)) return;
      now.isAsked = true;
      requestAnimationFrame(() => {
        if (now.isLeft) return;
        const start = performance.now();
        now.isDue = true;
        drawAgain((count) => count + 1);
        // After what was drawn is laid out and painted.
        setTimeout(() => {
          rows = adapted(rows, now.fresh, performance.now() - start);
          now.isAsked = false;
          ask();
        });
      });
    };
    ask();
  });
  return items.slice(shown.first - begin, shown.last - begin + 1);
}
