import type { RefObject } from 'react';
import { useEffect, useState, useSyncExternalStore } from 'react';

function subscribe(reader: () => void): () => void {
  document.addEventListener('visibilitychange', reader);
  return () => document.removeEventListener('visibilitychange', reader);
}

// Whether somebody can see this tab.
export const useVisible = (): boolean => useSyncExternalStore(subscribe, () => document.visibilityState !== 'hidden');

// Whether something is in view, or less than a screen away from it.
export function useInView(place: RefObject<Element | null>): boolean {
  const [isIn, setIn] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver((told) => setIn(told[told.length - 1]!.isIntersecting), { rootMargin: '100% 0px' });
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, [place]);
  return isIn;
}
