// What somebody writes and has not saved, kept by this tab of the browser: another part of the page, a reload, or signing in once more
// when a session has ended loses nothing of it.
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
const kBegin = 'draft ';

// A browser may refuse to keep anything: then it is as if nothing was kept.
function tried<T>(work: () => T, otherwise: T): T {
  try { return work(); } catch { return otherwise; }
}
export const kept = (key: string, storage: () => Kept = () => sessionStorage): string | undefined => tried(() => storage().getItem(kBegin + key) ?? undefined, undefined);
// Undefined: there is no draft any more.
export const keep = (key: string, text: string | undefined, storage: () => Kept = () => sessionStorage): void =>
  tried(() => (text === undefined ? storage().removeItem(kBegin + key) : storage().setItem(kBegin + key, text)), undefined);

// How often all drafts were dropped, for those that show one.
let dropped = 0;
const readers = new Set<() => void>();
const subscribe = (reader: () => void) => { readers.add(reader); return () => void readers.delete(reader); };

// When somebody signs out: the next one at this browser is another.
export function dropDrafts(storage: () => Storage = () => sessionStorage): void {
  tried(() => { for (const key of Object.keys(storage())) if (key.startsWith(kBegin)) storage().removeItem(key); }, undefined);
  dropped += 1;
  for (const reader of readers) reader();
}

const kOwner = 'drafts are of';
// Each tab has drafts of its own, and only the one in which somebody signs out hears of that: the others drop theirs when they see another user.
export function ownDrafts(user: number, storage: () => Storage = () => sessionStorage): void {
  const owner = tried(() => storage().getItem(kOwner), null);
  if (owner === String(user)) return;
  if (owner !== null) dropDrafts(storage);
  tried(() => storage().setItem(kOwner, String(user)), undefined);
}

// Of the draft of a text that began as `base`, when that is now `saved`: whether somebody else changed it meanwhile.
export const wasChanged = (draft: string | undefined, base: string | undefined, saved: string): boolean => draft !== undefined && base !== undefined && saved !== base && saved !== draft;

const kBase = '\nbase';  // behind the key: what a draft began from
// `drop`: with what was saved, what was written since stays.
interface Draft { draft: string | undefined; isChanged: boolean; write: (text: string) => void; drop: (sent?: string) => void }
// `key`: what it is a draft of. `saved`: the text that it would replace; what is the same is not kept, and is written anew when that changes.
export function useDraft(key: string, saved: string): Draft {
  const age = useSyncExternalStore(subscribe, () => dropped, () => dropped);
  const read = () => ({ key, age, draft: kept(key), base: kept(key + kBase) });
  const [now, setNow] = useState(read);
  const { draft, base } = now.key === key && now.age === age ? now : read();
  const last = useRef(draft);  // also what was written while a save was under way
  last.current = draft;
  const hold = (text: string | undefined, from: string | undefined, isKept: boolean) => {
    last.current = text;
    keep(key, isKept ? text : undefined);
    keep(key + kBase, isKept ? from : undefined);
    setNow({ key, age, draft: text, base: from });
  };
  // It was saved where this part of the page could not hear of it: before a reload, or after another part was shown.
  useLayoutEffect(() => { if (kept(key) === saved) hold(undefined, undefined, false); }, [key, saved]);
  return {
    draft,
    isChanged: wasChanged(draft, base, saved),
    write: (text) => hold(text, draft === undefined ? saved : base, text !== saved),
    drop: (sent) => {
      const isMore = sent !== undefined && last.current !== undefined && last.current !== sent;
      hold(isMore ? last.current : undefined, isMore ? sent : undefined, isMore);
    },
  };
}
