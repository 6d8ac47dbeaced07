import { expect, test } from 'vitest';
import { draftOf } from './draft-of';
import { hasLabel, labelsOf } from './labels';
import { readModelsSearch } from './search';

test('labels as people type them', () => {
  expect(labelsOf(' prod, ,a b,prod ')).toEqual(['prod', 'a b']);
  expect(labelsOf('')).toEqual([]);
  expect(hasLabel(['a'], '')).toBe(true);
  expect(hasLabel(['a'], 'b')).toBe(false);
  expect(hasLabel(undefined, 'b')).toBe(false);
});
test('an address is taken for what is understood of it', () => {
  expect(readModelsSearch({ q: 12, label: '<b>', archived: 'yes' })).toEqual({ q: '12', label: '<b>' });
});

test('a draft of notes stays a model\'s when it gets another name, and is none of a model that gets the former', () => {
  const drafts = (name: string, id: number) => [draftOf({ name, id }), draftOf({ name, id }, { version: 2 })];
  expect(drafts('new', 7)).toEqual(drafts('old', 7));
  expect(new Set([...drafts('old', 7), ...drafts('old', 8)]).size).toBe(4);
});
