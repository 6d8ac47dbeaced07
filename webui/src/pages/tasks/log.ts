// A task's log: its last lines, then what comes.
import { useEffect, useState } from 'react';
import { address } from '../../api/client';
import { messages } from '../../api/stream';
import type { Line, Told } from '../trial/window';
import { behind, lineOf } from '../trial/window';

export const kLast = 2000;

export function useTaskLog(id: string, text: string, isOver: boolean) {
  const [lines, setLines] = useState<Line[]>();
  const [error, setError] = useState<Error>();
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
      if (isOver) return;
      const from = last[last.length - 1]?.time;
      let waiting: Line[] = [];
      for await (const told of messages<Told>(url({ follow: true, ...(from && { timestampAfter: from }) }), stop.signal)) {
        waiting.push(lineOf(told));
        if (waiting.length === 1) setTimeout(() => { const more = waiting; waiting = []; if (!stop.signal.aborted) setLines((now) => behind(now ?? [], more)); }, 200);
      }
    };
    read().catch((wrong: Error) => { if (!stop.signal.aborted) setError(wrong); });
    return () => stop.abort();
  }, [id, text, isOver, attempt]);
  return { lines, error, again: () => setAttempt((count) => count + 1) };
}
