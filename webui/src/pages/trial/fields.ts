// The ranks and pods whose lines are in a trial's log. The server reads all of the log for it: so it is outside of ['trial', id], and asked anew for
// a further run rather than with every report.
import { queryOptions } from '@tanstack/react-query';
import { address } from '../../api/client';
import type { Schemas } from '../../api/client';
import { firstMessage } from '../../api/stream';

export const logFieldsQuery = (trial: number, restarts: number) => queryOptions({
  queryKey: ['log-fields', trial, restarts], staleTime: 60_000,
  queryFn: ({ signal }) => firstMessage<Schemas['v1LogFields']>(address('/api/v1/trials/{id}/logs/fields', { id: trial }), signal).then((found): Schemas['v1LogFields'] => found ?? {}),
});
