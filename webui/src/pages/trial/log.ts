// A log as it is read, of a trial or a task: its end first or the place of one line, more on demand, new lines as they come.
import { useCallback, useEffect, useRef, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import { useVisible } from '../../lib/visible';
import type { LogSearch } from './address';
import { kLevels } from './address';
import { useFollow } from './follow';
import { persist } from './persist';
import type { Line, Part, Told } from './window';
import { before, behind, caughtUp, lineOf } from './window';

export interface LogFilter { levels: string[]; text: string; isRegex: boolean; ranks: number[]; pods: string[] }
const kPage = 1000;

export const filterOf = ({ q, regex, level, rank, pod }: LogSearch): LogFilter => ({
  levels: level ? kLevels.slice(kLevels.indexOf(level)).map((one) => `LOG_LEVEL_${one}`) : [], text: q ?? '', isRegex: regex === true,
  ranks: rank === undefined ? [] : [rank], pods: pod ? [pod] : [],
});

export const queryOf = ({ levels, text, isRegex, ranks, pods }: LogFilter) => ({ levels, rankIds: ranks, containerIds: pods, ...(text && { searchText: text, enableRegex: isRegex }) });

// Where lines are asked for: of which log, and what it is narrowed to. `more`: which of these lines.
export type LogUrl = (more: object) => URL;
export const trialUrl = (trial: number, filter: LogFilter): LogUrl => (more) => address('/api/v1/trials/{id}/logs', { id: trial }, { ...queryOf(filter), ...more });
export const taskUrl = (task: string, text: string): LogUrl => (more) => address('/api/v1/tasks/{id}/logs', { id: task }, { ...(text && { searchText: text }), ...more });

async function page(url: LogUrl, isUp: boolean, more: object, signal: AbortSignal): Promise<Line[]> {
  const found: Line[] = [];
  for await (const told of messages<Told>(url({ limit: kPage, orderBy: isUp ? 'ORDER_BY_ASC' : 'ORDER_BY_DESC', ...more }), signal)) found.push(lineOf(told));
  return isUp ? found : found.reverse();
}

// A page of what comes behind, and whether that is all. By the number of the last line, as what comes before is by that of the first: several lines
// may have its time, and those of other pods may be older than lines before them.
async function newerPage(url: LogUrl, { lines }: Part, signal: AbortSignal): Promise<{ more: Line[]; isEnd: boolean }> {
  const more = await page(url, true, { afterId: lines[lines.length - 1]?.id || '0' }, signal);
  return { more, isEnd: more.length < kPage };
}

export type Log = ReturnType<typeof useLog>;
// `url` must be the same function while it is the same log, narrowed to the same. `at`: the time of the line around which the log is read; without it
// its end is. The server's timestampBefore is inclusive, and timestampAfter is not.
export function useLog(url: LogUrl, isOver: boolean, at: string | undefined) {
  // `isWhole`: it was read when all was over, so nothing comes any more.
  const [part, setPart] = useState<Part & { isWhole: boolean }>();
  const [error, setError] = useState<Error>();  // nothing is here
  const [trouble, setTrouble] = useState<Error>();  // lines are here, and more could not be had
  const [isFollowed, setFollowed] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const [foundBy, setFoundBy] = useState<LogUrl>();  // where the lines came from; others are on their way while it is not `url`

  const over = useRef(isOver);
  over.current = isOver;
  const here = useRef(foundBy);
  here.current = foundBy;
  const reading = useRef<AbortController>(undefined);  // what belongs to this log and place; lines of another have no place here
  useEffect(() => {
    const stop = new AbortController();
    reading.current = stop;
    setError(undefined);
    setTrouble(undefined);
    persist(async () => {
      const wasOver = over.current;
      const last = await page(url, false, at ? { timestampBefore: at } : {}, stop.signal);
      const next = at ? await page(url, true, { timestampAfter: at }, stop.signal) : [];
      setPart({ lines: [...last, ...next], isBegin: last.length < kPage, isEnd: next.length < kPage, isWhole: wasOver });
      setFoundBy(() => url);
      setFollowed(at === undefined);
      setError(undefined);
      setTrouble(undefined);
    }, stop.signal, (wrong) => (here.current === url ? setTrouble : setError)(wrong));
    return () => stop.abort();
  }, [url, at, attempt]);

  // The last lines come after the end of what writes them. They are put behind what is there, which somebody reads.
  const isDue = isOver && foundBy === url && part !== undefined && part.isEnd && !part.isWhole;
  const held = useRef(part);
  held.current = part;
  useEffect(() => {
    if (!isDue) return;
    const stop = new AbortController();
    persist(async () => {
      const { more, isEnd } = await newerPage(url, held.current!, stop.signal);
      if (stop.signal.aborted) return;
      setPart((now) => now && { ...behind(now, more, isEnd), isWhole: true });
      setTrouble(undefined);
    }, stop.signal, setTrouble);
    return () => stop.abort();
  }, [url, isDue]);

  const { lines, isBegin = false, isEnd = true } = part ?? {};

  // A tab that nobody sees does not follow the log: what came meanwhile may be hours of it.
  const isVisible = useVisible();
  const [isBehind, setBehind] = useState(false);
  if (!isVisible && !isBehind) setBehind(true);
  const canFollow = !isOver && isEnd && lines !== undefined && foundBy === url;
  const isCatchingUp = canFollow && isVisible && isBehind;
  const follows = useRef(isFollowed);
  follows.current = isFollowed;
  useEffect(() => {
    if (!isCatchingUp) return;
    const stop = new AbortController();
    persist(async () => {
      const newest = await page(url, false, {}, stop.signal);
      if (stop.signal.aborted) return;
      setPart((now) => now && { ...caughtUp(now, newest, newest.length < kPage, follows.current), isWhole: now.isWhole });
      setBehind(false);
      setTrouble(undefined);
    }, stop.signal, setTrouble);
    return () => stop.abort();
  }, [url, isCatchingUp]);

  useFollow({
    isOn: canFollow && !isBehind, lines, fail: setTrouble,
    url: useCallback((afterId: string) => url({ follow: true, afterId }), [url]),
    take: useCallback((more: Line[]) => setPart((now) => now && { ...behind(now, more), isWhole: now.isWhole }), []),
  });

  const older = useCallback(async () => {
    const first = lines?.[0];
    const signal = reading.current?.signal;
    if (!first || isBegin || !signal) return;
    try {
      const more = await page(url, false, { beforeId: first.id }, signal);
      if (signal.aborted) return;
      setPart((now) => now && { ...before(now, more, more.length < kPage), isWhole: now.isWhole });
      setTrouble(undefined);
    } catch (wrong) {
      if (!signal.aborted) setTrouble(wrong as Error);
    }
  }, [url, lines, isBegin]);

  const newer = useCallback(async () => {
    const signal = reading.current?.signal;
    if (!part || part.isEnd || !signal) return;
    try {
      const { more, isEnd: hasEnd } = await newerPage(url, part, signal);
      if (signal.aborted) return;
      setPart((now) => now && { ...behind(now, more, hasEnd), isWhole: now.isWhole });
      setTrouble(undefined);
    } catch (wrong) {
      if (!signal.aborted) setTrouble(wrong as Error);
    }
  }, [url, part]);

  return { lines, isOld: foundBy !== url, error, trouble, isBegin, isEnd, older, newer, again: () => setAttempt((count) => count + 1), isFollowed, setFollowed };
}
