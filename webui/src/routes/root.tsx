import type { QueryClient } from '@tanstack/react-query';
import { Link, createRootRouteWithContext } from '@tanstack/react-router';
import { Layout } from '../components/Layout';
import { Empty } from '../components/states';

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Layout,
  notFoundComponent: () => <Empty isPage title="There is no such page">The address may be mistyped, or what it showed was deleted. <Link to="/">Go home</Link></Empty>,
});
