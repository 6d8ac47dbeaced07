import { afterEach, expect, test, vi } from 'vitest';
import { addNote, changeNote, changed, keysOfNotes } from './notes';

afterEach(() => vi.unstubAllGlobals());

const a = { name: 'a', contents: 'first' };
const b = { name: 'b', contents: 'second' };

test('a change is made in the notes that there are now', () => {
  const c = { name: 'c', contents: 'of somebody else' };
  expect(changed([b, c], { kind: 'write', before: b, contents: 'new' })).toEqual([{ name: 'b', contents: 'new' }, c]);
  expect(changed([a, b, c], { kind: 'remove', before: b })).toEqual([a, c]);
});

test('a note that somebody has changed or removed meanwhile is not replaced', () => {
  expect(changed([{ ...a, contents: 'other' }], { kind: 'write', before: a, contents: 'new' })).toBeUndefined();
  expect(changed([b], { kind: 'remove', before: a })).toBeUndefined();
});

test('a note keeps its draft when one before it goes', () => {
  expect(keysOfNotes([a, b, a])).toEqual(['a', 'b', 'a (2)']);
  expect(keysOfNotes([b])).toEqual(['b']);
});

test('a new note leaves the others alone, whoever changes them in that moment', async () => {
  const asked: unknown[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async ({ pathname }: URL, { method, body }: { method: string; body?: string }) => {
    asked.push([method, pathname, body && JSON.parse(body)]);
    return new Response(JSON.stringify({ project: { notes: [a, b] } }));
  });
  await addNote(5, b);
  expect(asked.splice(0)).toEqual([['POST', '/api/v1/projects/5/notes', b]]);
  await changeNote(5, { kind: 'write', before: a, contents: 'new' });
  expect(asked).toEqual([['GET', '/api/v1/projects/5', undefined], ['PUT', '/api/v1/projects/5/notes', { notes: [{ name: 'a', contents: 'new' }, b] }]]);
  await expect(changeNote(5, { kind: 'remove', before: { name: 'c' } })).rejects.toThrow('Somebody changed');
});
