// The logs of all trials as they are read: the newest lines first, older ones on demand, new ones as they come while the newest are there.
import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import { useLive } from '../../live/client';
import type { LogFilter } from '../trial/log';
import { queryOf } from '../trial/log';
import { persist } from '../trial/persist';
import type { Line, Told } from '../trial/window';
import { kMost, lineOf } from '../trial/window';
import { Looks } from './looks';

export interface TrialLine extends Line { trial: number }
interface Page { lines: TrialLine[]; next: string | undefined }
// `isEnd`: the newest lines are among them.
interface Kept { lines: TrialLine[]; isEnd: boolean }

export const keyOf = ({ trial, id }: TrialLine) => `${trial}.${id}`;
const order = (a: TrialLine, b: TrialLine) => (a.time === b.time ? a.trial - b.trial || Number(a.id) - Number(b.id) : a.time < b.time ? -1 : 1);

// Two parts of the log as one; a line is there once.
export function together(some: readonly TrialLine[], more: readonly TrialLine[]): TrialLine[] {
  const known = new Set(some.map(keyOf));
  const other = more.filter((line) => !known.has(keyOf(line))).sort(order);
  const last = some[some.length - 1];
  const isBehind = last === undefined || other[0] === undefined || order(last, other[0]) < 0;  // nearly always: what is new
  return isBehind ? [...some, ...other] : [...some, ...other].sort(order);
}
// Whether nothing can be missing between what is there and the newest lines.
export const meets = (some: readonly TrialLine[], newest: readonly TrialLine[]) => {
  const known = new Set(some.map(keyOf));
  return newest.some((line) => known.has(keyOf(line)));
};

// With the newest lines behind. So many are kept; where there are more, the oldest go, and `next` is where they are asked for again.
export function withNewest(some: readonly TrialLine[], newest: readonly TrialLine[], most = kMost): { lines: TrialLine[]; next?: string } {
  const all = together(some, newest);
  const lines = all.slice(-most);
  const first = lines[0];
  return all.length > most && first ? { lines, next: `${first.time},${first.trial},${first.id}` } : { lines };
}

// With older lines before those that are there. So many are kept; where there are more, the newest go.
export function withOlder(some: Kept | undefined, older: readonly TrialLine[], most = kMost): Kept {
  const all = together(older, some?.lines ?? []);
  return { lines: all.slice(0, most), isEnd: (some?.isEnd ?? true) && all.length <= most };
}

// What a look at the newest lines makes of what is there; `next` is where older lines are asked for from now on, if it is elsewhere. Where more came than
// one look takes, what is between is not here: who looks at the end has the newest, whoever reads elsewhere keeps what there is.
export function looked(some: Kept, newest: Page, isFollowed: boolean): Kept & { next?: string | undefined } {
  if (meets(some.lines, newest.lines) || newest.next === undefined) return { ...withNewest(some.lines, newest.lines), isEnd: true };
  return isFollowed || some.lines.length === 0 ? { ...newest, isEnd: true } : { lines: some.lines, isEnd: false };
}

async function page(experiment: number, filter: LogFilter, before: string | undefined, signal: AbortSignal): Promise<Page> {
  const found: Page = { lines: [], next: undefined };
  const url = address('/api/v1/experiments/{id}/logs', { id: experiment }, { ...queryOf(filter), limit: 1000, ...(before && { before }) });
  for await (const told of messages<Told & { trialId?: number; next?: string }>(url, signal)) {
    if (told.next) found.next = told.next;
    else found.lines.push({ ...lineOf(told), trial: told.trialId ?? 0 });
  }
  found.lines.reverse();
  return found;
}

const kMostWatched = 40;  // one connection watches 64 topics
const kPause = 1000;      // ms between two looks at what is new

// Grows when one of these tasks has logged something.
function useNews(tasks: readonly string[]): number {
  useLive(...(tasks.length > 0 ? tasks.map((task) => `logs:${task}`) : ['experiments']));
  return useQueries({
    queries: tasks.map((task) => ({ queryKey: ['logs', task, 'news'], queryFn: () => performance.now(), staleTime: 0 })),
    combine: (all) => Math.max(0, ...all.map(({ data }) => data ?? 0)),
  });
}

// `running`: tasks of trials that may still log.
export function useMergedLog(experiment: number, filter: LogFilter, running: readonly string[]) {
  const [now, setKept] = useState<Kept>();
  const [next, setNext] = useState<string>();
  const [error, setError] = useState<Error>();  // nothing is here
  const [trouble, setTrouble] = useState<Error>();  // lines are here, and older ones could not be had
  const [attempt, setAttempt] = useState(0);
  const [foundBy, setFoundBy] = useState<LogFilter>();
  const [isFollowed, setFollowed] = useState(true);
  const news = useNews(running.slice(0, kMostWatched));
  const shown = useRef<Kept>({ lines: [], isEnd: true });
  const before = useRef(0);
  const here = useRef(foundBy);
  here.current = foundBy;
  const follows = useRef(isFollowed);
  follows.current = isFollowed;
  shown.current = foundBy === filter && now ? now : { lines: [], isEnd: true };

  const reading = useRef<AbortController>(undefined);  // what belongs to this filter; older lines of another have no place here
  useEffect(() => {
    const stop = new AbortController();
    reading.current = stop;
    setError(undefined);
    setTrouble(undefined);
    persist(async () => {
      const first = await page(experiment, filter, undefined, stop.signal);
      setKept({ lines: first.lines, isEnd: true });
      setNext(first.next);
      setFoundBy(filter);
      setError(undefined);
      setTrouble(undefined);
    }, stop.signal, (wrong) => (here.current === filter ? setTrouble : setError)(wrong));
    return () => stop.abort();
  }, [experiment, filter, attempt]);

  const looks = useRef<Looks>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    // Whoever has left the end asks for it again.
    const look = async () => (shown.current.isEnd ? page(experiment, filter, undefined, stop.signal).then((newest) => {
      if (stop.signal.aborted || !shown.current.isEnd) return;
      const { lines, isEnd, next: older } = looked(shown.current, newest, follows.current);
      if (older) setNext(older);
      setKept({ lines, isEnd });
      setFoundBy(filter);
    }).catch(() => { /* The next look tells. */ }) : undefined);
    const own = new Looks(look, (work) => void setTimeout(work, kPause));
    looks.current = own;
    return () => { own.stop(); stop.abort(); };
  }, [experiment, filter]);

  useEffect(() => {
    const hasEnded = running.length < before.current;  // then its last lines are there
    before.current = running.length;
    if (news > 0 || hasEnded) looks.current?.want();
  }, [experiment, filter, news, running.length]);

  const older = useCallback(async () => {
    const signal = reading.current?.signal;
    if (!next || !signal) return;
    try {
      const more = await page(experiment, filter, next, signal);
      if (signal.aborted) return;
      setNext(more.next);
      setKept((some) => withOlder(some, more.lines));
      setTrouble(undefined);
    } catch (wrong) {
      if (!signal.aborted) setTrouble(wrong as Error);
    }
  }, [experiment, filter, next]);

  return {
    lines: now?.lines, isEnd: now?.isEnd ?? true, isOld: foundBy !== filter, isBegin: next === undefined, error, trouble, older, again: () => setAttempt((count) => count + 1), isFollowed, setFollowed,
  };
}
