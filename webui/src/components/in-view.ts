// A bar that is wider than a narrow screen shows where one is.
import { useRouterState } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useEffect } from 'react';

export function useCurrentInView(bar: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });  // what is current is known when it has loaded
  useEffect(() => {
    if (!bar.current) return;
    // It tells sizes behind the layout of a frame, at once and when they change. To ask for them here would have the browser lay out the page in between.
    const watch = new ResizeObserver(([told]) => {
      const shown = told!.target as HTMLElement;
      const now = shown.querySelector<HTMLElement>('[aria-current]');
      if (now) shown.scrollLeft = now.offsetLeft - shown.offsetLeft - (shown.clientWidth - now.clientWidth) / 2;
    });
    watch.observe(bar.current);
    return () => watch.disconnect();
  }, [bar, path]);
}
