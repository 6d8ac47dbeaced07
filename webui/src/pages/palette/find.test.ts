import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { findQuery } from './find';

afterEach(() => vi.unstubAllGlobals());

test('workspaces and projects are found by parts of their names, and read once for all that is typed', async () => {
  const asked: string[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async ({ pathname, searchParams }: URL) => {
    asked.push(pathname);
    if (searchParams.has('name') && pathname !== '/api/v1/models') return new Response('{}');  // whole names only
    if (pathname === '/api/v1/workspaces') return new Response(JSON.stringify({ workspaces: [{ id: 2, name: 'Vision team' }, { id: 3, name: 'Speech' }] }));
    if (pathname === '/api/v1/workspaces/0/projects') return new Response(JSON.stringify({ projects: [{ id: 7, name: 'revision' }] }));
    return new Response('no', { status: 403 });
  });
  const queries = new QueryClient();
  const found = await queries.fetchQuery(findQuery('vis'));
  expect(found.map(({ href }) => href)).toEqual(['/workspaces/2', '/projects/7']);
  expect((await queries.fetchQuery(findQuery('vision team'))).map(({ key }) => key)).toEqual(['workspace 2']);
  expect(asked.filter((path) => path.startsWith('/api/v1/workspaces')).length).toBe(2);
});

test('who cannot be asked is not said to have nothing', async () => {
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async () => { throw new TypeError('no way'); });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await expect(queries.fetchQuery(findQuery('vis'))).rejects.toThrow('The server cannot be reached.');
});
