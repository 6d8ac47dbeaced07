import { expect, test } from 'vitest';
import { changed, keysOfNotes } from './notes';

const a = { name: 'a', contents: 'first' };
const b = { name: 'b', contents: 'second' };

test('a change is made in the notes that there are now', () => {
  const c = { name: 'c', contents: 'of somebody else' };
  expect(changed([b, c], { kind: 'write', before: b, contents: 'new' })).toEqual([{ name: 'b', contents: 'new' }, c]);
  expect(changed([a, b, c], { kind: 'remove', before: b })).toEqual([a, c]);
  expect(changed([a, c], { kind: 'add', note: b })).toEqual([a, c, b]);
});

test('a note that somebody has changed or removed meanwhile is not replaced', () => {
  expect(changed([{ ...a, contents: 'other' }], { kind: 'write', before: a, contents: 'new' })).toBeUndefined();
  expect(changed([b], { kind: 'remove', before: a })).toBeUndefined();
});

test('a note keeps its draft when one before it goes', () => {
  expect(keysOfNotes([a, b, a])).toEqual(['a', 'b', 'a (2)']);
  expect(keysOfNotes([b])).toEqual(['b']);
});
