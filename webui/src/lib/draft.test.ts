import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test, vi } from 'vitest';
import { NotesEditor } from '../components/NotesEditor';
import { Notes } from '../pages/experiment/Notes';
import { act, mount, propsOf } from '../testing/mount';
import { dropDrafts, keep, kept, ownDrafts, useDraft, wasChanged } from './draft';

function stored(first: Record<string, string> = {}) {
  const storage = Object.create({
    getItem(key: string) { return (this as Record<string, string>)[key] ?? null; },
    setItem(key: string, text: string) { (this as Record<string, string>)[key] = text; },
    removeItem(key: string) { delete (this as Record<string, string>)[key]; },
  }) as Storage;
  return Object.assign(storage, first);
}
afterEach(() => vi.unstubAllGlobals());

test('what was typed is there again after the page was left, until it is saved or dropped', () => {
  const storage = stored({ theme: 'dark' });
  keep('notes', 'half a th', () => storage);
  expect(kept('notes', () => storage)).toBe('half a th');
  keep('notes', undefined, () => storage);
  expect(kept('notes', () => storage)).toBeUndefined();
  keep('notes', 'x', () => storage);
  dropDrafts(() => storage);
  expect(Object.keys(storage)).toEqual(['theme']);
});

test('a browser that keeps nothing is no error', () => {
  const refuses = () => { throw new Error('refused'); };
  keep('a', 'b', refuses);
  expect(kept('a', refuses)).toBeUndefined();
  dropDrafts(refuses);
});

test('a draft is of a text that somebody else changed when that is neither what it began from nor what it says', () => {
  expect(wasChanged('mine', 'before', 'before')).toBe(false);
  expect(wasChanged('mine', 'before', 'theirs')).toBe(true);
  expect(wasChanged('mine', 'before', 'mine')).toBe(false);
  expect(wasChanged(undefined, undefined, 'theirs')).toBe(false);
});

test('notes go on where they were left, and say whether others changed them', () => {
  vi.stubGlobal('sessionStorage', stored({ 'draft notes of experiment 5': 'half a thought', 'draft model notes': 'another', 'draft model notes\nbase': 'before' }));
  const save = async () => {};
  const queries = new QueryClient();
  queries.setQueryData(['me', 'rights'], { user: 1, isAdmin: true, hasRoles: false, everywhere: [], within: {} });
  const drawn = (id: number) => renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, createElement(Notes, { experiment: { id, notes: 'saved' } as Parameters<typeof Notes>[0]['experiment'] })));
  expect(drawn(5)).toMatch(/<textarea[^>]*>half a thought/);
  expect(drawn(6)).not.toContain('<textarea');
  const props = { hint: '', isBusy: false, save, draftOf: 'model notes' };
  const ofModel = (text: string) => renderToStaticMarkup(createElement(NotesEditor, { ...props, text }));
  expect(ofModel('')).toMatch(/<textarea[^>]*>another/);
  expect(ofModel('before')).not.toContain('Somebody changed');
  expect(ofModel('theirs')).toMatch(/Somebody changed these notes.*theirs/);
});

test('what is written while a save is under way stays, and goes on from what was saved', () => {
  vi.stubGlobal('sessionStorage', stored());
  let hook: ReturnType<typeof useDraft> | undefined;
  const Writer = () => { hook = useDraft('notes', 'before'); return null; };
  renderToStaticMarkup(createElement(Writer));
  hook!.write('sent');
  hook!.write('sent, and more');
  hook!.drop('sent');
  expect([kept('notes'), kept('notes\nbase')]).toEqual(['sent, and more', 'sent']);
  hook!.drop('sent, and more');
  expect(kept('notes')).toBeUndefined();
  hook!.write('not to be saved');
  hook!.drop();
  expect(kept('notes')).toBeUndefined();
});

test('a draft that is what was saved is gone, wherever it was saved', async () => {
  const storage = stored({ 'draft notes': 'sent', 'draft notes\nbase': 'before' });
  vi.stubGlobal('sessionStorage', storage);
  let hook: ReturnType<typeof useDraft> | undefined;
  const Writer = ({ saved }: { saved: string }) => { hook = useDraft('notes', saved); return null; };
  const { draw, leave } = await mount(createElement(Writer, { saved: 'before' }));
  expect(hook!.draft).toBe('sent');
  await draw(createElement(Writer, { saved: 'sent' }));
  expect([hook!.draft, Object.keys(storage)]).toEqual([undefined, []]);
  // Whoever begins to write, or puts in what somebody else wrote, goes on writing.
  await act(async () => hook!.write('sent'));
  expect(hook!.draft).toBe('sent');
  await act(async () => hook!.write('mine'));
  await draw(createElement(Writer, { saved: 'theirs' }));
  await act(async () => hook!.write('theirs'));
  expect(hook!.draft).toBe('theirs');
  await leave();
});

test('notes that are saved when nobody looks at them any more leave no draft', async () => {
  const storage = stored({ 'draft notes': 'sent', 'draft notes\nbase': 'before' });
  vi.stubGlobal('sessionStorage', storage);
  let saved = () => {};
  const save = () => new Promise<void>((done) => { saved = done; });
  let shown: unknown;
  const Shown = () => {
    shown = NotesEditor({ text: 'before', draftOf: 'notes', hint: '', isBusy: false, save });
    return null;
  };
  const { leave } = await mount(createElement(Shown));
  propsOf(shown, ({ children }) => children === 'Save notes').onClick!();
  await leave();
  expect(kept('notes')).toBe('sent');
  saved();
  await vi.waitFor(() => expect(Object.keys(storage)).toEqual([]));
});

test('drafts go when another user is signed in, also where nobody signed out', () => {
  const storage = stored({ 'draft notes': 'of a version before', theme: 'dark' });
  ownDrafts(7, () => storage);
  ownDrafts(7, () => storage);
  expect(kept('notes', () => storage)).toBe('of a version before');
  ownDrafts(8, () => storage);
  expect(kept('notes', () => storage)).toBeUndefined();
  keep('notes', 'theirs', () => storage);
  ownDrafts(8, () => storage);
  expect(kept('notes', () => storage)).toBe('theirs');
  expect(storage.getItem('theme')).toBe('dark');
  ownDrafts(9, () => { throw new Error('refused'); });
});
