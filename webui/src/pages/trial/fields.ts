// The ranks and pods whose lines are in a trial's log. The server reads all of the log for it: so it is outside of
// ['trial', id], and asked anew for a further run, and when the lines of a run have doubled, not with every line.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { address } from '../../api/client';
import type { Schemas } from '../../api/client';
import { firstMessage } from '../../api/stream';

export const logFieldsQuery = (trial: number, restarts: number, doubled = 0) => queryOptions({
  queryKey: ['log-fields', trial, restarts, doubled], staleTime: 60_000,
  queryFn: ({ signal }) => firstMessage<Schemas['v1LogFields']>(address('/api/v1/trials/{id}/logs/fields', { id: trial }), signal).then((found): Schemas['v1LogFields'] => found ?? {}),
});

// `from`: the last line when the run began, or 0. `doubled`: how often there were twice as many lines behind it.
interface Seen { restarts: number; from: number; doubled: number }
export function seenNow(seen: Seen, restarts: number, last: number): Seen {
  if (restarts !== seen.restarts) return { restarts, from: last, doubled: 0 };
  const doubled = Math.floor(Math.log2(Math.max(0, last - seen.from) + 1));
  return doubled > seen.doubled ? { ...seen, doubled } : seen;
}

// `last`: the number of the last line that is known; undefined while none was asked for.
export interface LoggedTrial { id: number; restarts: number; last: number | undefined }
export function useLogFields(trial: LoggedTrial | undefined): Schemas['v1LogFields'] | undefined {
  const { id = 0, restarts = 0, last } = trial ?? {};
  const [seen, setSeen] = useState<Seen>({ restarts, from: 0, doubled: 0 });
  const now = seenNow(seen, restarts, last ?? 0);
  if (now !== seen) setSeen(now);
  const query = logFieldsQuery(id, restarts, now.doubled);
  return useQuery({ ...query, enabled: last !== undefined, placeholderData: keepPreviousData }).data;
}
