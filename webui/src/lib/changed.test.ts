import { expect, test } from 'vitest';
import { changedOf } from './changed';

test('only what was changed is sent', () => {
  const before = { name: 'a', description: 'of the team', labels: ['prod', 'b'], active: true };
  expect(changedOf(before, { ...before })).toEqual({});
  expect(changedOf(before, { ...before, description: '' })).toEqual({ description: '' });
  const other = { labels: ['prod'], active: false };
  expect(changedOf(before, { ...before, ...other })).toEqual(other);
});

test('what is not there is as empty, and a text as the form gives it back', () => {
  type Fields = { name: string; labels: string[]; on: boolean };
  expect(changedOf<Fields>({ name: null }, { name: '', labels: [], on: false })).toEqual({});
  expect(changedOf({ description: 'two\r\nlines\n' }, { description: 'two\nlines' })).toEqual({});
  expect(changedOf<{ on: boolean }>({}, { on: true })).toEqual({ on: true });
});
