import { expect, test } from 'vitest';
import { readViews, withView } from './views';

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
