// What every page has: the way to the others, who one is, and whether what is shown is live.
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../api/client';
import { meQuery, serverQuery } from '../api/queries';
import { dropDrafts, ownDrafts } from '../lib/draft';
import type { Theme } from '../lib/theme';
import { choose } from '../lib/theme';
import { useLiveState } from '../live/client';
import type { MenuEntry } from './MenuButton';
import { MenuButton } from './MenuButton';
import { Shortcuts } from './Shortcuts';
import { useCurrentInView } from './in-view';
import { messageAt } from './message';
import { useMinute } from './small';

const kYours: readonly MenuEntry[] = [
  { id: 'settings', name: 'Settings' }, { id: 'admin', name: 'Administration' },
  { id: 'light', name: 'Light colours' }, { id: 'dark', name: 'Dark colours' },
  { id: 'system', name: 'Colours of the system' }, { id: 'sign-out', name: 'Sign out' },
];
function UserMenu() {
  const me = useQuery(meQuery);
  const user = me.data?.user?.id;
  useEffect(() => { if (user !== undefined) ownDrafts(user); }, [user]);
  const queries = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const signOut = async () => {
    setFailure(undefined);
    const ended = await call('post', '/api/v1/auth/logout');
    // The session is still there, and its cookie: who comes next would be this person. 401: it had ended before.
    if (!ended.ok && ended.status !== 401) return setFailure(ended.message);
    queries.clear();
    dropDrafts();
    return location.assign(new URL('sign-in', document.baseURI));  // anew: nothing of the session stays in memory
  };
  const navigate = useNavigate();
  const act = (key: string) => {
    if (key === 'sign-out') void signOut();
    else if (key === 'settings') void navigate({ to: '/settings' });
    else if (key === 'admin') void navigate({ to: '/admin/$part', params: { part: 'users' } });
    else choose(key as Theme);
  };
  return (
    <>
      {failure && <span className="cut" role="alert">You are still signed in: {failure}</span>}
      <MenuButton className="button plain" menu="You" items={kYours} act={act}>
        {me.data?.user?.displayName || me.data?.user?.username || 'Menu'} <span aria-hidden>▾</span>
      </MenuButton>
    </>
  );
}

// What an administrator tells everybody.
function ClusterMessage() {
  useMinute();
  const message = messageAt(useQuery({ ...serverQuery, refetchInterval: 60_000 }).data?.clusterMessage);
  return message === undefined ? null : <p className="notice banner" role="status">{message}</p>;
}

// Pages that belong to another whose address does not begin theirs.
const within = (path: string, ...pages: string[]) => (pages.some((page) => path.startsWith(page)) ? { 'aria-current': 'page' as const } : {});

export function Layout() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isSignIn = path === '/sign-in';
  const live = useLiveState();
  const bar = useRef<HTMLElement>(null);
  useCurrentInView(bar);
  if (isSignIn) return <main className="content"><Outlet /></main>;
  return (
    <div className="shell">
      <a className="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById('content')?.focus(); }}>To the content</a>
      <header className="header">
        <Link to="/" className="brand"><img src={new URL('icon.svg', document.baseURI).href} alt="Home" /><span aria-hidden>det-operator</span></Link>
        <nav className="navigation" ref={bar} aria-label="Pages">
          <Link to="/" activeOptions={{ exact: true }}>Home</Link>
          <Link to="/experiments" activeOptions={{ includeSearch: false }} {...within(path, '/trials/', '/compare')}>Experiments</Link>
          <Link to="/tasks" activeOptions={{ includeSearch: false }}>Tasks</Link>
          <Link to="/queue">Queue</Link>
          <Link to="/cluster">Cluster</Link>
          <Link to="/workspaces" {...within(path, '/projects/')}>Workspaces</Link>
          <Link to="/models" activeOptions={{ includeSearch: false }}>Models</Link>
          <Link to="/templates">Templates</Link>
        </nav>
        {live === 'cut' && <span className="cut" role="status">Not live: connecting again …</span>}
        <Shortcuts />
        <UserMenu />
      </header>
      <ClusterMessage />
      <main className="content" id="content" tabIndex={-1}><Outlet /></main>
    </div>
  );
}
