// What lies above the page: dialogs and menus. They and the library behind them are a quarter of what the first page
// would have to read, and nobody opens one before it is shown: so they come when the browser has nothing else to do, or
// when one is opened before.
import { useEffect, useState } from 'react';
import { reloadOnce } from '../lib/newer';

const load = () => import('./above-page');
type Overlays = Awaited<ReturnType<typeof load>>;

const kLatest = 3_000;  // ms: where the browser is never idle, or cannot say so
const kAgain = 2_000;
let here: Overlays | undefined;

export async function fetchOverlays(): Promise<Overlays> {
  here ??= await load();
  return here;
}

// Where it fails, who opens one asks once more.
const fetchAhead = () => void fetchOverlays().catch(() => {});
export function fetchOverlaysWhenIdle(): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(fetchAhead, { timeout: kLatest });
  else setTimeout(fetchAhead, kLatest);
}

// Nothing until they are here. While the server is away they are asked for again; one of a newer version has others.
export function useOverlays(isWanted: boolean): Overlays | undefined {
  const [, drawWith] = useState(here);
  const isMissing = isWanted && here === undefined;
  useEffect(() => {
    if (!isMissing) return undefined;
    let isLeft = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () => void fetchOverlays().then((found) => { if (!isLeft) drawWith(found); }, () => {
      void reloadOnce();
      if (!isLeft) timer = setTimeout(ask, kAgain);
    });
    ask();
    return () => { isLeft = true; clearTimeout(timer); };
  }, [isMissing]);
  return here;
}
