// What somebody writes and has not saved, kept by this tab of the browser: another part of the page, a reload, or signing in once more
// when a session has ended loses nothing of it.
import { useState } from 'react';

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

// When somebody signs out: the next one at this browser is another.
export const dropDrafts = (storage: () => Storage = () => sessionStorage): void => tried(() => {
  for (const key of Object.keys(storage())) if (key.startsWith(kBegin)) storage().removeItem(key);
}, undefined);

// Of the draft of a text that began as `base`, when that is now `saved`: whether somebody else changed it meanwhile.
export const wasChanged = (draft: string | undefined, base: string | undefined, saved: string): boolean => draft !== undefined && base !== undefined && saved !== base && saved !== draft;

const kBase = '\nbase';  // behind the key: what a draft began from
interface Draft { draft: string | undefined; isChanged: boolean; write: (text: string) => void; drop: () => void }
// `key`: what it is a draft of. `saved`: the text that it would replace; what is the same is not kept, and is written anew when that changes.
export function useDraft(key: string, saved: string): Draft {
  const read = () => ({ key, draft: kept(key), base: kept(key + kBase) });
  const [now, setNow] = useState(read);
  const { draft, base } = now.key === key ? now : read();
  return {
    draft,
    isChanged: wasChanged(draft, base, saved),
    write: (text) => {
      const isKept = text !== saved;
      const first = draft === undefined ? saved : base;
      keep(key, isKept ? text : undefined);
      keep(key + kBase, isKept ? first : undefined);
      setNow({ key, draft: text, base: first });
    },
    drop: () => { keep(key, undefined); keep(key + kBase, undefined); setNow({ key, draft: undefined, base: undefined }); },
  };
}
