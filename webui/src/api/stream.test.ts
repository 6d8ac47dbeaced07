import { afterEach, expect, test, vi } from 'vitest';
import { messages } from './stream';

afterEach(() => vi.unstubAllGlobals());

const url = new URL('http://host/api/v1/things');
// A server that says these lines and then stays silent; `cancelled` is called when nobody listens any more.
function serve(lines: string, cancelled: () => void) {
  vi.stubGlobal('fetch', async () => new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(lines)), cancel: cancelled })));
}

test('who stops before the end gives the connection back', async () => {
  const cancelled = vi.fn();
  serve('{"result": 1}\n{"result": 2}\n', cancelled);
  const seen: number[] = [];
  for await (const one of messages<number>(url, new AbortController().signal)) {
    seen.push(one);
    break;
  }
  expect(seen).toEqual([1]);
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
});

test('so does a stream that tells a fault', async () => {
  const cancelled = vi.fn();
  serve('{"error": {"message": "No database."}}\n', cancelled);
  await expect(messages<number>(url, new AbortController().signal).next()).rejects.toThrow('No database.');
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
});
