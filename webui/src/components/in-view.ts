// A bar that is wider than a narrow screen shows where one is.
import { useRouterState } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useEffect } from 'react';

export function useCurrentInView(bar: RefObject<HTMLElement | null>): void {
  useRouterState({ select: ({ status }) => status });  // what is current is known when it has loaded
  useEffect(() => {
    const now = bar.current?.querySelector<HTMLElement>('[aria-current]');
    if (now && bar.current) bar.current.scrollLeft = now.offsetLeft - bar.current.offsetLeft - (bar.current.clientWidth - now.clientWidth) / 2;
  });
}
