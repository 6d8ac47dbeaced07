// Changes of anything but experiments: what was refused comes back as text, and what the answer made old is asked for anew.
import type { QueryKey } from '@tanstack/react-query';
import { useMutation, useQueryClient } from '@tanstack/react-query';

// `run` is any request. `old`: beginnings of the keys that it changes. `done` gets the answer.
export function useChange<A = unknown, V = void>(run: (what: V) => Promise<A>, old: readonly QueryKey[], done?: (answer: A) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: async (answer: A) => {
      await Promise.all(old.map((queryKey) => queries.invalidateQueries({ queryKey })));
      done?.(answer);
    },
  });
}
