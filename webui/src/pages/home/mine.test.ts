import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { filterText } from '../experiments/search';
import { More } from './Home';
import { kFailed, kOpen, mineQuery, openOf } from './mine';

type LinkProps = { to: string; search: object; children: string };
const href = (to: string, search: object) => `${to} ${JSON.stringify(search)}`;
vi.mock('@tanstack/react-router', async (original) => ({
  ...await original<object>(),
  Link: ({ to, search, children }: LinkProps) => createElement('a', { href: href(to, search) }, children),
}));

test('what runs is asked for by its state, however many were started since', () => {
  const asked = (part: typeof kOpen) => {
    const { filter = '', limit } = mineQuery(part, 7).queryKey[2] as { filter?: string; limit: number };
    return { limit, text: filter };
  };
  const open = asked(kOpen);
  expect(open.limit).toBe(100);
  for (const state of ['COMPLETED', 'CANCELED', 'ERROR']) expect(open.text).toMatch(new RegExp(`"columnName":"state","operator":"!=","value":"${state}"`));
  expect(open.text).toContain('"columnName":"user","operator":"=","value":7');
  expect(asked(kFailed).text).toContain('"columnName":"state","operator":"=","value":"ERROR"');
});

test('where there are more than home shows it says so, and leads to the list of all of them', () => {
  const said = (shown: number, total: number | undefined) =>
    renderToStaticMarkup(createElement(More, { shown, total, userId: 7 }));
  expect([said(100, 100), said(3, undefined)]).toEqual(['', '']);
  expect(said(100, 1250)).toContain('The newest 100 of 1,250.');
  expect(said(100, 1250)).toContain('href="/experiments {&quot;filter&quot;:&quot;user = 7 and state !=');
  const conditions = (text: string) => text.match(/"columnName":[^}]*/g)?.sort();
  const { filter } = mineQuery(kOpen, 7).queryKey[2] as { filter: string };
  expect(conditions(filterText(openOf(7)))).toEqual(conditions(filter));
});
