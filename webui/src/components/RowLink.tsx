// A link in the row of a long table. The router's own Link builds an address and subscribes to the router for each: of a dozen rows that come
// into view at once that is a third of the work. What it shows is asked for while one points at it, but not while one scrolls past.
import type { AnyRouter } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

interface Target { page: 'experiments' | 'trials'; id: number | undefined; tab: string }
const routeOf = ({ page, id, tab }: Target) => ({ to: `/${page}/$id/$tab`, params: { id: String(id), tab } });

let waiting: ReturnType<typeof setTimeout> | undefined;
const forget = (): void => clearTimeout(waiting);
function askAhead(router: AnyRouter, target: Target, delay: number): void {
  forget();
  addEventListener('scroll', forget, { capture: true, passive: true, once: true });
  // The page itself says what went wrong when it is opened.
  waiting = setTimeout(() => void router.preloadRoute(routeOf(target)).catch(() => {}), delay);
}

// Whether the browser is to follow it as it does: in a new tab, say.
export const isBrowsers = ({ metaKey, altKey, ctrlKey, shiftKey, button, defaultPrevented }: Pick<MouseEvent, 'metaKey' | 'altKey' | 'ctrlKey' | 'shiftKey' | 'button' | 'defaultPrevented'>): boolean =>
  defaultPrevented || metaKey || altKey || ctrlKey || shiftKey || button !== 0;

export function RowLink({ page, id, tab, title, children }: Target & { title?: string | undefined; children: ReactNode }) {
  const router: AnyRouter = useRouter();
  const target = { page, id, tab };
  const delay = router.options.defaultPreloadDelay ?? 0;
  return (
    <a href={`${router.basepath.replace(/\/$/, '')}/${page}/${id}/${tab}`} title={title}
      onClick={(event) => {
        if (isBrowsers(event)) return;
        event.preventDefault();
        forget();
        void router.navigate(routeOf(target));
      }}
      onMouseEnter={() => askAhead(router, target, delay)} onMouseLeave={forget} onFocus={() => askAhead(router, target, delay)} onBlur={forget}
      onTouchStart={() => askAhead(router, target, 0)}>
      {children}
    </a>
  );
}
