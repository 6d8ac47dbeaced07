// Every address of the page. Pages other than sign-in and home are chunks of their own.
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { experimentQuery, trialQuery } from './api/queries';
import { PageFailure } from './components/PageFailure';
import { Loading } from './components/states';
import { isNumber } from './lib/numbers';
import { readCompare } from './pages/compare/address';
import { readTabSearch } from './pages/experiment/address';
import { askAhead } from './pages/experiment/ahead';
import { pageQuery } from './pages/experiments/rows';
import { readSearch } from './pages/experiments/search';
import { Home } from './pages/home/Home';
import { SignIn } from './pages/sign-in/SignIn';
import { readLogSearch } from './pages/trial/address';
import { root } from './routes/root';
import { sections } from './routes/sections';

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });
const signIn = createRoute({
  getParentRoute: () => root, path: '/sign-in', component: SignIn,
  validateSearch: (search: Record<string, unknown>): { next?: string } => (typeof search['next'] === 'string' ? { next: search['next'] } : {}),
});
const experiments = createRoute({
  getParentRoute: () => root, path: '/experiments', validateSearch: readSearch,
  loaderDeps: ({ search: { cols: _shown, ...list } }) => list,
  loader: ({ context, deps }) => void context.queries.prefetchQuery(pageQuery(deps, 0)),
  component: lazyRouteComponent(() => import('./pages/experiments/Experiments'), 'Experiments'),
});
const compare = createRoute({
  getParentRoute: () => root, path: '/compare', validateSearch: readCompare,
  component: lazyRouteComponent(() => import('./pages/compare/ComparePage'), 'ComparePage'),
});
// What a page shows first is asked for while its chunk is on its way, and while a person still points at the link.
const experiment = createRoute({
  getParentRoute: () => root, path: '/experiments/$id',
  loader: ({ context, params }) => { if (isNumber(params.id)) void context.queries.prefetchQuery(experimentQuery(Number(params.id))); },
  component: lazyRouteComponent(() => import('./pages/experiment/ExperimentPage'), 'ExperimentPage'),
});
const experimentIndex = createRoute({
  getParentRoute: () => experiment, path: '/',
  beforeLoad: ({ params }) => { throw redirect({ to: '/experiments/$id/$tab', params: { ...params, tab: 'overview' }, replace: true }); },
});
const experimentTab = createRoute({
  getParentRoute: () => experiment, path: '/$tab', validateSearch: readTabSearch, component: lazyRouteComponent(() => import('./pages/experiment/Tab'), 'Tab'),
  loaderDeps: ({ search: { metric, axis } }) => ({ metric, axis }),
  loader: ({ context, params, deps }) => { if (isNumber(params.id)) askAhead(context.queries, Number(params.id), params.tab, deps); },
});
const trial = createRoute({
  getParentRoute: () => root, path: '/trials/$id',
  loader: ({ context, params }) => { if (isNumber(params.id)) void context.queries.prefetchQuery(trialQuery(Number(params.id))); },
  component: lazyRouteComponent(() => import('./pages/trial/TrialPage'), 'TrialPage'),
});
const trialIndex = createRoute({
  getParentRoute: () => trial, path: '/',
  beforeLoad: ({ params }) => { throw redirect({ to: '/trials/$id/$tab', params: { ...params, tab: 'metrics' }, replace: true }); },
});
const trialTab = createRoute({
  getParentRoute: () => trial, path: '/$tab', validateSearch: readLogSearch, component: lazyRouteComponent(() => import('./pages/trial/Tab'), 'Tab'),
});

const tree = root.addChildren([
  home, signIn, experiments, compare, experiment.addChildren([experimentIndex, experimentTab]), trial.addChildren([trialIndex, trialTab]), ...sections,
]);

export const makeRouter = (queries: QueryClient) => createRouter({
  routeTree: tree, context: { queries }, basepath: new URL(document.baseURI).pathname.replace(/\/$/, ''),
  defaultPreload: 'intent', defaultPreloadDelay: 120, scrollRestoration: true,  // ms that one points at a link: rows that scroll past are not meant
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultErrorComponent: ({ error, reset }) => <PageFailure error={error as Error} again={reset} />,
});

declare module '@tanstack/react-router' {
  interface Register { router: ReturnType<typeof makeRouter> }
}
