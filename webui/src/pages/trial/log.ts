// The log of a trial as it is read: its end first or the place of one line, more on demand, new lines as they come.
import { useCallback, useEffect, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import type { LogSearch } from './address';
import { kLevels } from './address';
import { useFollow } from './follow';
import type { Line, Told } from './window';
import { before, behind, lineOf } from './window';

export interface LogFilter { levels: string[]; text: string; isRegex: boolean; ranks: number[]; pods: string[] }
const kPage = 1000;

export const filterOf = ({ q, regex, level, rank, pod }: LogSearch): LogFilter => ({
  levels: level ? kLevels.slice(kLevels.indexOf(level)).map((one) => `LOG_LEVEL_${one}`) : [], text: q ?? '', isRegex: regex === true,
  ranks: rank === undefined ? [] : [rank], pods: pod ? [pod] : [],
});

export const queryOf = ({ levels, text, isRegex, ranks, pods }: LogFilter) => ({ levels, rankIds: ranks, containerIds: pods, ...(text && { searchText: text, enableRegex: isRegex }) });
const url = (trial: number, filter: LogFilter, more: object) => address('/api/v1/trials/{id}/logs', { id: trial }, { ...queryOf(filter), ...more });

async function page(trial: number, filter: LogFilter, isUp: boolean, more: object, signal: AbortSignal): Promise<Line[]> {
  const found: Line[] = [];
  for await (const told of messages<Told>(url(trial, filter, { limit: kPage, orderBy: isUp ? 'ORDER_BY_ASC' : 'ORDER_BY_DESC', ...more }), signal)) found.push(lineOf(told));
  return isUp ? found : found.reverse();
}

// `at`: the time of the line around which the log is read; without it its end is. The server's timestampBefore is inclusive, and
// timestampAfter is not.
export function useLog(trial: number, filter: LogFilter, isOver: boolean, at: string | undefined) {
  const [lines, setLines] = useState<Line[]>();
  const [error, setError] = useState<Error>();
  const [isBegin, setBegin] = useState(false);
  const [isEnd, setEnd] = useState(true);
  const [isFollowed, setFollowed] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const [foundBy, setFoundBy] = useState<LogFilter>();  // what the lines were narrowed to; others are on their way while it is not `filter`

  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      setError(undefined);
      const last = await page(trial, filter, false, at ? { timestampBefore: at } : {}, stop.signal);
      const next = at ? await page(trial, filter, true, { timestampAfter: at }, stop.signal) : [];
      const all = [...last, ...next];
      const hasEnd = next.length < kPage;
      setLines(all);
      setFoundBy(filter);
      setBegin(last.length < kPage);
      setEnd(hasEnd);
      setFollowed(at === undefined);
    };
    read().catch((wrong: Error) => { if (!stop.signal.aborted) setError(wrong); });
    return () => stop.abort();
  }, [trial, filter, isOver, at, attempt]);  // once more when it is over: the last lines come after its end

  useFollow({
    isOn: !isOver && isEnd && lines !== undefined && foundBy === filter, lines, fail: setError,
    url: useCallback((afterId: string) => url(trial, filter, { follow: true, afterId }), [trial, filter]),
    take: useCallback((more: Line[]) => setLines((now) => behind(now ?? [], more)), []),
  });

  const older = useCallback(async () => {
    const first = lines?.[0];
    if (!first || isBegin) return;
    try {
      const more = await page(trial, filter, false, { timestampBefore: first.time }, new AbortController().signal);
      if (more.length < kPage) setBegin(true);
      setLines((now) => before(now ?? [], more));
    } catch (wrong) {
      setError(wrong as Error);
    }
  }, [trial, filter, lines, isBegin]);

  const newer = useCallback(async () => {
    const last = lines?.[lines.length - 1];
    if (!last || isEnd) return;
    try {
      const more = await page(trial, filter, true, { timestampAfter: last.time }, new AbortController().signal);
      if (more.length < kPage) setEnd(true);
      setLines((now) => behind(now ?? [], more));
    } catch (wrong) {
      setError(wrong as Error);
    }
  }, [trial, filter, lines, isEnd]);

  return { lines, isOld: foundBy !== filter, error, isBegin, isEnd, older, newer, again: () => setAttempt((count) => count + 1), isFollowed, setFollowed };
}
