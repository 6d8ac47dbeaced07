// All experiments of a list, a part at a time: 10,000 in one answer keep the server from others, and the page from answering.
import { ask } from '../../api/client';
import type { Schemas } from '../../api/client';
import type { SearchBody } from '../../api/queries';

export const kMost = 10_000;
const kPart = 500;

type Found = Schemas['v1FoundExperiment'];
// The first `kMost`, each once: where others come or go meanwhile, the next part may begin with what was there already.
export async function allOf(list: Omit<SearchBody, 'offset' | 'limit'>, signal?: AbortSignal): Promise<Found[]> {
  const found = new Map<number, Found>();
  for (let offset = 0; offset < kMost; offset += kPart) {
    const { experiments = [] } = await ask('post', '/api/v1/experiments-search', { body: { ...list, offset, limit: kPart }, ...(signal && { signal }) });
    for (const one of experiments) if (!found.has(one.experiment?.id ?? 0)) found.set(one.experiment?.id ?? 0, one);
    if (experiments.length < kPart) break;
  }
  return [...found.values()];
}
