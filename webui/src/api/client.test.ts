import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { address, call } from './client';

beforeEach(() => vi.stubGlobal('document', { baseURI: 'https://host/det/ui/' }));
afterEach(() => vi.unstubAllGlobals());

const kLabel = '/api/v1/experiments/{id}/labels/{label}';

test('an address has its parts in their places, whatever is in them', () => {
  expect(address(kLabel, { id: 5, label: 'a/b..' }, { x: [1, undefined, 2] }).href).toBe('https://host/det/api/v1/experiments/5/labels/a%2Fb..?x=1&x=2');
});

test('a name of dots alone is no step up: it would be another thing that is deleted', () => {
  for (const label of ['.', '..']) expect(() => address(kLabel, { id: 5, label })).toThrow('dots alone');
  expect(address(kLabel, { id: 5, label: '...' }).pathname).toBe('/det/api/v1/experiments/5/labels/...');
});

test('a body that breaks off, or that a proxy wrote, is a failure and no throw; what was given up throws', async () => {
  vi.stubGlobal('fetch', async () => new Response('<html>Sign in to the network</html>', { status: 200 }));
  expect(await call('get', '/api/v1/models')).toEqual({ ok: false, status: 0, message: 'What came is no answer of the server, or not all of it.' });
  const broken = () => new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) });
  vi.stubGlobal('fetch', async () => new Response(broken(), { status: 502 }));
  expect(await call('get', '/api/v1/models')).toEqual({ ok: false, status: 502, message: 'The server answered with status 502.' });
  const stop = new AbortController();
  stop.abort();
  vi.stubGlobal('fetch', async () => new Response(broken(), { status: 200 }));
  await expect(call('get', '/api/v1/models', { signal: stop.signal })).rejects.toThrow('network error');
});
