// The log of a trial as it is read: its end first, older lines on demand, new ones as they come.
import { useCallback, useEffect, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import type { Line, Told } from './window';
import { before, behind, lineOf } from './window';

export interface LogFilter { levels: string[]; text: string; isRegex: boolean }
const kPage = 1000;

function url(trial: number, { levels, text, isRegex }: LogFilter, more: object): URL {
  return address('/api/v1/trials/{id}/logs', { id: trial }, { levels, ...(text && { searchText: text, enableRegex: isRegex }), ...more });
}

async function page(trial: number, filter: LogFilter, more: object, signal: AbortSignal): Promise<Line[]> {
  const found: Line[] = [];
  for await (const told of messages<Told>(url(trial, filter, { limit: kPage, orderBy: 'ORDER_BY_DESC', ...more }), signal)) found.push(lineOf(told));
  return found.reverse();
}

export function useLog(trial: number, filter: LogFilter, isOver: boolean) {
  const [lines, setLines] = useState<Line[]>();
  const [error, setError] = useState<Error>();
  const [isBegin, setBegin] = useState(false);
  const [isFollowed, setFollowed] = useState(true);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      setError(undefined);
      const last = await page(trial, filter, {}, stop.signal);
      setLines(last);
      setBegin(last.length < kPage);
      setFollowed(true);
      if (isOver) return;
      const from = last[last.length - 1]?.time;
      let waiting: Line[] = [];
      // All that came within 200 ms is shown at once.
      for await (const told of messages<Told>(url(trial, filter, { follow: true, ...(from && { timestampAfter: from }) }), stop.signal)) {
        waiting.push(lineOf(told));
        if (waiting.length === 1) setTimeout(() => { const more = waiting; waiting = []; setLines((now) => behind(now ?? [], more)); }, 200);
      }
    };
    read().catch((wrong: Error) => { if (!stop.signal.aborted) setError(wrong); });
    return () => stop.abort();
  }, [trial, filter, isOver, attempt]);

  const older = useCallback(async () => {
    const first = lines?.[0];
    if (!first || isBegin) return;
    try {
      const more = await page(trial, filter, { timestampBefore: first.time }, new AbortController().signal);
      if (more.length < kPage) setBegin(true);
      setLines((now) => before(now ?? [], more));
    } catch (wrong) {
      setError(wrong as Error);
    }
  }, [trial, filter, lines, isBegin]);

  return { lines, error, isBegin, older, again: () => setAttempt((count) => count + 1), isFollowed, setFollowed };
}
