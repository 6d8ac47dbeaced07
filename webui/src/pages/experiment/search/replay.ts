// The search's own log as the server plays it again: its events, what was decided on each and why, and where its trials stand.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { address } from '../../../api/client';
import type { Schemas } from '../../../api/client';
import { messages } from '../../../api/stream';

export type Message = Schemas['v1ReplaySearchResponse'];
export type Summary = Schemas['v1ReplaySummary'];
export interface Replayed { entries: Message[]; summary: Summary | undefined; difference: string | undefined; took: number }

export const kPage = 500;
const kBeyond = 2 ** 31;  // after every event: the summary alone

// Page `page` of the events, from 0; without one only the summary. The key is outside of ['experiment', id]: the server plays the whole
// log again for each answer, which is too much for every report that comes (SearchTab asks for it in turn).
export const replayQuery = (id: number, page?: number) => queryOptions({
  queryKey: ['replay', id, page ?? 'summary'], placeholderData: keepPreviousData, staleTime: 10_000,
  queryFn: async ({ signal }): Promise<Replayed> => {
    const began = performance.now();
    const found: Replayed = { entries: [], summary: undefined, difference: undefined, took: 0 };
    const query = page === undefined ? { after: kBeyond, limit: 1 } : { after: page * kPage, limit: kPage };
    for await (const message of messages<Message>(address('/api/v1/experiments/{id}/searcher/replay', { id }, query), signal)) {
      if (message.difference) found.difference = message.difference;
      if (message.summary) found.summary = message.summary;
      else if (message.event) found.entries.push(message);
    }
    found.took = performance.now() - began;
    return found;
  },
});

export const lastPage = (events: number) => Math.max(0, Math.ceil(events / kPage) - 1);
