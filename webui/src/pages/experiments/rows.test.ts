import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { mount } from '../../testing/mount';
import { questionOf } from './BulkActions';
import { failureOf, kPage, pageQuery, pagesOf, rowOf, staleOf, useRows } from './rows';

afterEach(() => vi.unstubAllGlobals());

test('while one scrolls within a page nothing is asked for, and nothing of the page is drawn anew', () => {
  const now = { first: 0, last: 0 };
  expect(pagesOf(now, 3, kPage - 1)).toBe(now);
  expect(pagesOf(now, kPage - 10, kPage)).toEqual({ first: 0, last: 1 });
});

test('a row is the same as long as what the server says of it is', () => {
  const entry = { experiment: { id: 5 }, bestTrial: null } as unknown as Parameters<typeof rowOf>[0];
  expect(rowOf(entry)).toBe(rowOf(entry));
  expect(rowOf(entry)).toEqual({ id: 5, bestTrial: null });
  expect(rowOf({})).toBeUndefined();
});

test('a list in another order has as many rows before they are there, one of another filter is not known', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  let rows: ReturnType<typeof useRows> | undefined;
  const queries = new QueryClient();
  type Search = Parameters<typeof useRows>[0];
  const Table = ({ search }: { search: Search }) => { rows = useRows(search); return null; };
  const drawn = (search: Search) =>
    createElement(QueryClientProvider, { client: queries }, createElement(Table, { search }));
  const first = { experiments: [{ experiment: { id: 5 } }], pagination: { total: 1 } };
  queries.setQueryData(pageQuery({}, 0).queryKey, first as never);
  const { draw, leave } = await mount(drawn({}));
  expect([rows!.total, rows!.rowAt(0)?.id]).toEqual([1, 5]);
  await draw(drawn({ sort: 'name=asc' }));
  expect([rows!.total, rows!.rowAt(0)]).toEqual([1, undefined]);
  await draw(drawn({ sort: 'name=asc', q: 'x' }));
  expect(rows!.total).toBeUndefined();
  await leave();
});

test('a page that is not there because it failed is told from one that only cannot be had anew', () => {
  const error = new Error('gone');
  expect(failureOf([{ data: {}, error: null }, { data: undefined, error }])).toBe(error);
  expect(failureOf([{ data: {}, error }])).toBeNull();
  expect(staleOf([{ data: {}, error: null }, { data: undefined, error }])).toBeUndefined();
  expect(staleOf([{ data: {}, error: null }, { data: {}, error }])).toEqual({ data: {}, error });
});

test('columns are no part of what is asked for', () => {
  expect(pageQuery({ cols: ['id'], project: 3 }, 0).queryKey).toEqual(pageQuery({ project: 3 }, 0).queryKey);
  expect(pageQuery({ sort: 'name=asc' }, 2).queryKey[2]).toMatchObject({ offset: 2 * kPage, limit: kPage, sort: 'name=asc' });
});

test('a question names what was chosen when it was asked', () => {
  expect(questionOf({ action: 'kill', ids: [7], others: 0 }).title).toBe('Kill 1 experiment?');
  const { title, means } = questionOf({ action: 'kill', ids: Array.from({ length: 1200 }, (_, i) => i), others: 1000 });
  expect(title).toBe('Kill 1,200 experiments?');
  expect(means).toMatch(/^You chose 1,000 of them under another filter\. ./);
});
