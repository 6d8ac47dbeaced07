// A task's log: its last lines, then what comes.
import { useCallback, useEffect, useRef, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import { useFollow } from '../trial/follow';
import { persist } from '../trial/persist';
import type { Line, Told } from '../trial/window';
import { behind, lineOf } from '../trial/window';

export const kLast = 2000;

export function useTaskLog(id: string, text: string, isOver: boolean) {
  const [lines, setLines] = useState<readonly Line[]>();
  const [error, setError] = useState<Error>();  // nothing is here
  const [trouble, setTrouble] = useState<Error>();  // lines are here, and more could not be had
  const [foundBy, setFoundBy] = useState<string>();  // what the lines were narrowed to
  const [isWhole, setWhole] = useState(false);  // they were read when the task was over, so nothing comes any more
  const [attempt, setAttempt] = useState(0);
  const url = useCallback((more: object) => address('/api/v1/tasks/{id}/logs', { id }, { ...(text && { searchText: text }), ...more }), [id, text]);
  const over = useRef(isOver);
  over.current = isOver;
  useEffect(() => {
    const stop = new AbortController();
    const wasOver = over.current;
    const read = async () => {
      setError(undefined);
      setTrouble(undefined);
      const last: Line[] = [];
      for await (const told of messages<Told>(url({ limit: kLast, orderBy: 'ORDER_BY_DESC' }), stop.signal)) last.push(lineOf(told));
      last.reverse();
      setLines(last);
      setFoundBy(text);
      setWhole(wasOver);
    };
    read().catch((wrong: Error) => { if (!stop.signal.aborted) setError(wrong); });
    return () => stop.abort();
  }, [text, url, attempt]);
  const take = useCallback((more: Line[]) => setLines((now) => behind({ lines: now ?? [], isBegin: false, isEnd: true }, more).lines), []);
  // The last lines come after the task's end. They are put behind what is there, which somebody reads.
  const isDue = isOver && !isWhole && lines !== undefined && foundBy === text;
  const last = useRef('0');
  last.current = lines?.[lines.length - 1]?.id || '0';
  useEffect(() => {
    if (!isDue) return;
    const stop = new AbortController();
    persist(async () => {
      const more: Line[] = [];
      for await (const told of messages<Told>(url({ afterId: last.current }), stop.signal)) more.push(lineOf(told));
      take(more);
      setWhole(true);
      setTrouble(undefined);
    }, stop.signal, setTrouble);
    return () => stop.abort();
  }, [isDue, url, take]);
  useFollow({
    isOn: !isOver && lines !== undefined && foundBy === text, lines, fail: setTrouble,
    url: useCallback((afterId: string) => url({ follow: true, afterId }), [url]), take,
  });
  return { lines, error, trouble, again: () => setAttempt((count) => count + 1) };
}
