// What costs the server and the browser much is asked anew in turn, rather than with every report that comes.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

// How long to wait before asking anew, in ms: at least 3 s, and the server is to rest ten times as long as it worked.
export const pause = (took: number) => Math.max(3000, 10 * took);

// Asks only when the experiment has changed since (`changed`: when it was told last), and not while it was asked just now. `key` is outside of
// ['experiment', id]. `took`: ms that the last answer took.
export function useInTurn(key: readonly (string | number)[], changed: number, took: number): void {
  const queries = useQueryClient();
  const seen = useRef(changed);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const joined = JSON.stringify(key);
  useEffect(() => {
    if (changed === seen.current || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: JSON.parse(joined) as (string | number)[] });
    }, pause(took));
    seen.current = changed;
  }, [changed, joined, queries, took]);
  useEffect(() => () => { clearTimeout(timer.current); timer.current = undefined; }, [joined]);
}
