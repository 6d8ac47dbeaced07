import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { poolsQuery, workspacesQuery } from '../api/sections';
import { PoolChoice, WorkspaceChoice } from './choices';

const shown = (choice: ReactElement, client = new QueryClient()) => renderToStaticMarkup(createElement(QueryClientProvider, { client }, choice));
const pool = createElement(PoolChoice, { chosen: 'gpu' });

test('the pool that is chosen stays so while the list is not there, or is without it', () => {
  expect(shown(pool)).toContain('<option selected value="gpu">gpu</option>');
  const client = new QueryClient();
  client.setQueryData(poolsQuery.queryKey, { resourcePools: [{ name: 'cpu' }] } as never);
  expect(shown(pool, client)).toContain('<option selected value="gpu">gpu</option><option value="cpu">');
  client.setQueryData(poolsQuery.queryKey, { resourcePools: [{ name: 'cpu' }, { name: 'gpu' }] } as never);
  expect(shown(pool, client).match(/value="gpu"/g)?.length).toBe(1);
});

test('no workspace is chosen before there is one', () => {
  const choice = createElement(WorkspaceChoice);
  expect(shown(choice)).toMatch(/<select[^>]* required[^>]*><\/select>/);
  const client = new QueryClient();
  client.setQueryData(workspacesQuery.queryKey, { workspaces: [{ id: 3, name: 'old', archived: true }, { id: 7, name: 'ours' }] } as never);
  expect(shown(choice, client)).toContain('<option selected value="7">ours</option>');
  expect(shown(createElement(WorkspaceChoice, { all: 'Everywhere' }))).toContain('<option selected value="0">Everywhere</option>');
});
