import type { UseQueryResult } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ApiError } from '../api/client';
import { Loaded } from './states';

const query = (data: string | undefined, error: Error | null) => ({ data, error, dataUpdatedAt: Date.now(), refetch: () => {} }) as unknown as UseQueryResult<string, Error>;
const shown = (data: string | undefined, error: Error | null) => renderToStaticMarkup(createElement(Loaded<string>, { query: query(data, error), what: 'the thing', children: (text) => text }));

test('what was loaded stays when it cannot be had anew, and says so', () => {
  expect(shown('here', null)).toBe('here');
  expect(shown('here', new ApiError(503, 'No database.'))).toMatch(/^<p role="status" class="notice">Not up to date, this is from <time[^>]*>just now<\/time>: No database\.<\/p>here$/);
});

test('what is there no more, or not for this person, is not shown any longer', () => {
  for (const status of [403, 404]) expect(shown('here', new ApiError(status, 'Not yours.'))).toMatch(/The thing could not be loaded.*Not yours\./);
});

test('what is within another view that says so does not say it again', () => {
  const failed = query('outer', new ApiError(503, 'No database.'));
  const both = renderToStaticMarkup(createElement(Loaded<string>, { query: failed, what: 'a', children: () => createElement(Loaded<string>, { query: failed, what: 'b', children: (text) => text }) }));
  expect(both.match(/Not up to date/g)?.length).toBe(1);
});
