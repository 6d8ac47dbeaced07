import { afterEach, expect, test, vi } from 'vitest';
import { allOf, kMost } from './all';

afterEach(() => vi.unstubAllGlobals());

// A server with `count` experiments, the newest first; `more` come each time it is asked.
function serve(count: number, more = 0) {
  const asked: string[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async (_url: URL, { body, signal }: { body: string; signal?: AbortSignal }) => {
    signal?.throwIfAborted();
    const { offset, limit, sort } = JSON.parse(body) as { offset: number; limit: number; sort: string };
    const now = count + more * asked.length;
    asked.push(`${offset} ${limit} ${sort}`);
    const experiments = Array.from({ length: Math.max(0, Math.min(limit, now - offset)) }, (_, i) => ({ experiment: { id: now - offset - i } }));
    return new Response(JSON.stringify({ experiments }));
  });
  return asked;
}

test('a list comes 500 at a time, each experiment once', async () => {
  const asked = serve(1200, 1);
  const found = await allOf({ sort: 'id=desc' });
  expect(asked).toEqual(['0 500 id=desc', '500 500 id=desc', '1000 500 id=desc']);
  expect(found.map(({ experiment }) => experiment?.id)).toEqual(Array.from({ length: 1200 }, (_, i) => 1200 - i));
});

test('of a longer list the first come', async () => {
  const asked = serve(20_000);
  expect((await allOf({ sort: 'id=desc' })).length).toBe(kMost);
  expect(asked.length).toBe(kMost / 500);
});

test('who does not want them any more asks no further', async () => {
  const asked = serve(1200);
  const stop = new AbortController();
  const found = allOf({ sort: 'id=desc' }, stop.signal);
  stop.abort();
  await expect(found).rejects.toThrow();
  expect(asked.length).toBeLessThan(2);
});
