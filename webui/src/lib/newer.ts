// A server has the parts of its own version of the page only: after an upgrade a tab that was open before finds none of those that it has not
// loaded yet. The newer page has them.
const kKey = 'reloaded';
const kBetweenMs = 60_000;  // replicas of two versions may stand side by side for a while

// Browsers have a message each; the last is Vite's.
export const isMissingPart = (error: unknown): boolean => error instanceof Error
  && /dynamically imported module|Importing a module script failed|Unable to preload CSS/i.test(error.message);

// What it needs of the browser; tests give their own.
export interface Place { now(): number; get(): string | null; set(value: string): void; isServed(): Promise<boolean>; reload(): void }
const browser: Place = {
  now: () => Date.now(),
  get: () => sessionStorage.getItem(kKey),
  set: (value) => sessionStorage.setItem(kKey, value),
  isServed: async () => { try { return (await fetch(document.baseURI, { cache: 'no-store' })).ok; } catch { return false; } },
  reload: () => location.reload(),
};

// Whether the page is loaded anew: not where that was tried just now, nor where no server answers, as what is shown would be gone.
export async function reloadOnce(place: Place = browser): Promise<boolean> {
  try {
    if (place.now() - Number(place.get() ?? 0) < kBetweenMs || !await place.isServed()) return false;
    place.set(String(place.now()));
  } catch {
    return false;  // a browser that keeps nothing could reload for ever
  }
  place.reload();
  return true;
}
