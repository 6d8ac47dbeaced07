import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { act, mount } from '../../testing/mount';
import { useMergedLog } from '../experiment/merged';
import { filterOf, trialUrl, useLog } from './log';

let isThere = false;
beforeEach(() => {
  isThere = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('fetch', async (url: URL) => {
    if (url.searchParams.has('follow')) return new Promise(() => {});
    const line = '{"result":{"id":"1","trialId":7,"log":"first"}}\n';
    return isThere ? new Response(line) : new Response('', { status: 503 });
  });
});
afterEach(() => { vi.useRealTimers(); vi.unstubAllGlobals(); });

const filter = filterOf({});
const url = trialUrl(7, filter);
let shown: { lines: readonly { text: string }[] | undefined; error: Error | undefined } | undefined;
const kLogs = {
  'a log': () => { shown = useLog(url, false, undefined); return null; },
  'the logs of all trials': () => { shown = useMergedLog(5, filter, []); return null; },
};

for (const [what, Log] of Object.entries(kLogs)) {
  test(`${what} that could not be loaded comes when the server is back`, async () => {
    const client = new QueryClient();
    const { leave } = await mount(createElement(QueryClientProvider, { client }, createElement(Log)));
    await vi.waitFor(() => expect(shown?.error?.message).toMatch(/503/));
    isThere = true;
    await act(() => vi.advanceTimersByTimeAsync(6000));
    await vi.waitFor(() => expect(shown).toMatchObject({ lines: [{ text: 'first' }], error: undefined }));
    await leave();
  });
}
