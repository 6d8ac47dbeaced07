import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Project, Workspace } from '../../api/sections';
import type { FormDialog } from '../../components/forms';
import { act, mount } from '../../testing/mount';
import { ProjectDialog, WorkspaceDialog } from './dialogs';

let submit: Parameters<typeof FormDialog>[0]['submit'] = () => {};
vi.mock('../../components/forms', async (original) => ({
  ...await original<object>(),
  FormDialog: (props: Parameters<typeof FormDialog>[0]) => { submit = props.submit; return null; },
}));
afterEach(() => vi.unstubAllGlobals());

const sent: unknown[] = [];
const drawn = (dialog: ReactElement) => createElement(QueryClientProvider, { client: new QueryClient() }, dialog);
async function send(fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  vi.stubGlobal('fetch', async (_url: URL, { body }: RequestInit) => {
    sent.push(JSON.parse(String(body)));
    return Response.json({});
  });
  await act(async () => submit(form));
  return sent.splice(0);
}

test('a dialog sends what was changed in it, not what somebody else has changed since it was opened', async () => {
  const project = { id: 2, name: 'p', description: 'of the team' } as Project;
  const dialog = (one: Project) => drawn(createElement(ProjectDialog, { workspace: 1, project: one, close: () => {} }));
  const { draw, leave } = await mount(dialog(project));
  expect(await send({ name: 'q', description: 'of the team' })).toEqual([{ name: 'q' }]);
  await draw(dialog({ ...project, description: 'theirs' }));
  expect(await send({ name: 'q', description: 'of the team' })).toEqual([{ name: 'q' }]);
  await leave();
});

test('a workspace without pools of its own gets none by another name', async () => {
  const workspace = { id: 2, name: 'w' } as Workspace;
  const { leave } = await mount(drawn(createElement(WorkspaceDialog, { workspace, close: () => {} })));
  expect(await send({ name: 'v', compute: '', aux: '' })).toEqual([{ name: 'v' }]);
  expect(await send({ name: 'w', compute: 'fast', aux: '' })).toEqual([{ defaultComputeResourcePool: 'fast' }]);
  await leave();
});
