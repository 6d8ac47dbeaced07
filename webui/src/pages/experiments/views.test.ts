import { afterEach, expect, test, vi } from 'vitest';
import { readViews, saveViews, withView } from './views';

afterEach(() => vi.unstubAllGlobals());

test('views come from a setting that anything may have written', () => {
  expect(readViews('[{"name":"mine","search":{"state":"ERROR","bad":1,"cols":["id"]}},{"search":{}},null,7]')).toEqual([{ name: 'mine', search: { state: 'ERROR', cols: ['id'] } }]);
  expect(readViews('{}')).toEqual([]);
  expect(readViews('no JSON')).toEqual([]);
});

test('a view of the same name is replaced', () => {
  const views = withView([{ name: 'b', search: {} }, { name: 'c', search: {} }], { name: 'a', search: {} });
  expect(views.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(withView(views, { name: 'b', search: { q: 'x' } }).find(({ name }) => name === 'b')).toEqual({ name: 'b', search: { q: 'x' } });
});

test('a view is added to those that there are now, also when another tab has changed them', async () => {
  const stored = { key: 'views', storagePath: 'det-operator/experiments', value: '[{"name":"of another tab","search":{}}]' };
  vi.stubGlobal('document', { baseURI: 'http://host/ui/' });
  vi.stubGlobal('fetch', async (_url: URL, { method, body }: RequestInit) => {
    if (method === 'POST') stored.value = (JSON.parse(String(body)) as { settings: { value: string }[] }).settings[0]!.value;
    return Response.json(method === 'POST' ? {} : { settings: [stored] });
  });
  await saveViews((views) => withView(views, { name: 'mine', search: {} }));
  expect(readViews(stored.value).map(({ name }) => name)).toEqual(['mine', 'of another tab']);
});
