// Tabs that are addresses: /experiments/3/trials.
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useCurrentInView } from './in-view';

interface Props { to: '/experiments/$id/$tab' | '/trials/$id/$tab'; id: string; tabs: readonly (readonly [string, string])[] }
export function Tabs({ to, id, tabs }: Props) {
  const bar = useRef<HTMLElement>(null);
  useCurrentInView(bar);
  return (
    <nav className="tabs" ref={bar} aria-label="Parts of this page">
      {tabs.map(([tab, name]) => <Link key={tab} to={to} params={{ id, tab }}>{name}</Link>)}
    </nav>
  );
}
