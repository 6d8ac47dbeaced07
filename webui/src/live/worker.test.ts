import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => { vi.useRealTimers(); vi.unstubAllGlobals(); });

test('a page that has left, or says nothing any more, leaves no timer in the worker', async () => {
  vi.useFakeTimers();
  const scope = { name: '/live', onconnect: (_event: { ports: object[] }) => {} };
  vi.stubGlobal('self', scope);
  vi.stubGlobal('EventSource', class { addEventListener() {} close() {} });
  await import('./worker');
  const port = { postMessage: vi.fn(), onmessage: (_event: { data: { topics: string[] | null } }) => {} };
  scope.onconnect({ ports: [port] });
  const says = async (topics: string[] | null) => { port.onmessage({ data: { topics } }); await vi.advanceTimersByTimeAsync(5000); return vi.getTimerCount(); };
  expect(await says(['experiments'])).toBe(1);
  expect(await says(['queue'])).toBe(1);
  expect(await says(null)).toBe(0);
  port.postMessage.mockClear();
  expect(await says(['queue'])).toBe(1);
  expect(port.postMessage).toHaveBeenCalledWith({ kind: 'changed', topics: ['queue'] });
  await vi.advanceTimersByTimeAsync(200_000);
  expect(vi.getTimerCount()).toBe(0);
});
