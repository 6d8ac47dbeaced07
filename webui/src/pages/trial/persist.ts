import { wasRefused } from '../../api/client';

const kAgainMs = 5000;
// Does `work` until it succeeds, the server refuses it, or `signal` ends it; `fail` hears of each time that it did not.
export function persist(work: () => Promise<void>, signal: AbortSignal, fail: (wrong: Error) => void, later = (next: () => void): void => void setTimeout(next, kAgainMs)): void {
  const once = (): void => {
    if (signal.aborted) return;
    work().catch((wrong: Error) => {
      if (signal.aborted) return;
      fail(wrong);
      if (!wasRefused(wrong)) later(once);
    });
  };
  once();
}
