// Tabs that are addresses: /experiments/3/trials.
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

interface Props { to: '/experiments/$id/$tab' | '/trials/$id/$tab'; id: string; tabs: readonly (readonly [string, string])[] }
export function Tabs({ to, id, tabs }: Props) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const now = bar.current!.querySelector<HTMLElement>('[aria-current]');
    if (now) bar.current!.scrollLeft = now.offsetLeft - bar.current!.offsetLeft - (bar.current!.clientWidth - now.clientWidth) / 2;  // on narrow screens
  });
  return (
    <nav className="tabs" ref={bar} aria-label="Parts of this page">
      {tabs.map(([tab, name]) => <Link key={tab} to={to} params={{ id, tab }}>{name}</Link>)}
    </nav>
  );
}
