// A link in the row of a long table. The router's own Link builds an address and subscribes to the router for each: of a dozen rows that come
// into view at once that is a good part of the work. What it shows is asked for while one points at it, but not while one scrolls past.
import type { AnyRouter } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isPlain } from '../lib/click';

interface Target { page: 'experiments' | 'trials'; id: number | undefined; tab: string }
const routeOf = ({ page, id, tab }: Target) => ({ to: `/${page}/$id/$tab`, params: { id: String(id), tab } });

let waiting: ReturnType<typeof setTimeout> | undefined;
const forget = (): void => clearTimeout(waiting);
function preloadLater(router: AnyRouter, target: Target, delay: number): void {
  forget();
  addEventListener('scroll', forget, { capture: true, passive: true, once: true });
  // The page itself says what went wrong when it is opened.
  waiting = setTimeout(() => void router.preloadRoute(routeOf(target)).catch(() => {}), delay);
}

export function RowLink({ page, id, tab, title, children }: Target & { title?: string | undefined; children: ReactNode }) {
  const router: AnyRouter = useRouter();
  const target = { page, id, tab };
  const delay = router.options.defaultPreloadDelay ?? 0;
  return (
    <a href={`${page}/${id}/${tab}`} title={title}
      onClick={(event) => {
        if (!isPlain(event)) return;
        event.preventDefault();
        forget();
        void router.navigate(routeOf(target));
      }}
      onMouseEnter={() => preloadLater(router, target, delay)} onMouseLeave={forget} onFocus={() => preloadLater(router, target, delay)} onBlur={forget}
      onTouchStart={() => preloadLater(router, target, 0)}>
      {children}
    </a>
  );
}
