// What comes to a log while one looks at it. Browsers have six connections a host, so a tab that nobody sees gives its own back.
import { useEffect, useRef } from 'react';
import { wasRefused } from '../../api/client';
import { messages } from '../../api/stream';
import { useVisible } from '../../lib/visible';
import type { Line, Told } from './window';
import { lineOf } from './window';

const kRetryMs = 2000;
const kTogetherMs = 200;  // what comes within that is shown at once

interface Followed { isOn: boolean; lines: readonly Line[] | undefined; url: (afterId: string) => URL; take: (more: Line[]) => void; fail: (wrong: Error) => void }
// While `isOn`, `take` gets the lines behind the last of `lines`; after a cut it goes on behind what is there. `url`, `take` and `fail` must
// be the same functions while they mean the same. `fail` hears what the server refuses.
export function useFollow({ isOn, lines, url, take, fail }: Followed): void {
  const isVisible = useVisible();
  const last = useRef('0');
  last.current = lines?.[lines.length - 1]?.id || '0';
  useEffect(() => {
    if (!isOn || !isVisible) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      let waiting: Line[] = [];
      for await (const told of messages<Told>(url(last.current), stop.signal)) {
        waiting.push(lineOf(told));
        if (waiting.length === 1) setTimeout(() => { const more = waiting; waiting = []; if (!stop.signal.aborted) take(more); }, kTogetherMs);
      }
    };
    // A stream ends with its task, and with a server that stops.
    const follow = () => {
      read().catch((wrong: Error) => {
        if (!stop.signal.aborted && wasRefused(wrong)) { stop.abort(); fail(wrong); }
      }).finally(() => { if (!stop.signal.aborted) timer = setTimeout(follow, kRetryMs); });
    };
    follow();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [isOn, isVisible, url, take, fail]);
}
