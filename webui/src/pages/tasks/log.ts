// A task's log: its last lines, then what comes.
import { useCallback, useEffect, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import { useFollow } from '../trial/follow';
import type { Line, Told } from '../trial/window';
import { behind, lineOf } from '../trial/window';

export const kLast = 2000;

export function useTaskLog(id: string, text: string, isOver: boolean) {
  const [lines, setLines] = useState<readonly Line[]>();
  const [error, setError] = useState<Error>();
  const [foundBy, setFoundBy] = useState<string>();  // what the lines were narrowed to
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const url = (more: object) => address('/api/v1/tasks/{id}/logs', { id }, { ...(text && { searchText: text }), ...more });
    const read = async () => {
      setError(undefined);
      const last: Line[] = [];
      for await (const told of messages<Told>(url({ limit: kLast, orderBy: 'ORDER_BY_DESC' }), stop.signal)) last.push(lineOf(told));
      last.reverse();
      setLines(last);
      setFoundBy(text);
    };
    read().catch((wrong: Error) => { if (!stop.signal.aborted) setError(wrong); });
    return () => stop.abort();
  }, [id, text, isOver, attempt]);
  useFollow({
    isOn: !isOver && lines !== undefined && foundBy === text, lines, fail: setError,
    url: useCallback((afterId: string) => address('/api/v1/tasks/{id}/logs', { id }, { follow: true, afterId, ...(text && { searchText: text }) }), [id, text]),
    take: useCallback((more: Line[]) => setLines((now) => behind({ lines: now ?? [], isBegin: false, isEnd: true }, more).lines), []),
  });
  return { lines, error, again: () => setAttempt((count) => count + 1) };
}
