import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { checkpointsQuery } from '../api/queries';
import { act, mount, propsOf } from '../testing/mount';
import { Checkpoints } from './Checkpoints';
import type { VirtualTable } from './VirtualTable';

type Table = Parameters<typeof VirtualTable<unknown>>[0];
let table: Table | undefined;
let dialogs: string[] = [];
vi.mock('./VirtualTable', () => ({ VirtualTable: (props: Table) => { table = props; return null; } }));
type Asked = { asked: { what: string; uuid: string } };
vi.mock('./CheckpointActions', () => ({
  CheckpointActions: () => null,
  CheckpointDialog: ({ asked: { what, uuid } }: Asked) => { dialogs.push(`${what} ${uuid}`); return null; },
}));
const listOf = (uuid: string) => ({ checkpoints: [{ uuid, state: 'STATE_COMPLETED' }] }) as never;
afterEach(() => vi.unstubAllGlobals());

test('the dialog of a checkpoint stays when its row leaves the view', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  const queries = new QueryClient();
  queries.setQueryData(checkpointsQuery('trial', 7).queryKey, listOf('a'));
  const list = () => createElement(Checkpoints, { kind: 'trial', id: 7 });
  const drawn = () => createElement(QueryClientProvider, { client: queries }, list());
  const { draw, leave } = await mount(drawn());
  const actions = table!.columns.find(({ key }) => key === 'actions')!;
  const { ask } = propsOf(actions.cell(table!.rowAt(0), false), () => true);
  expect(dialogs).toEqual([]);
  // Nothing of the row is drawn here, as if it had left the view.
  await act(async () => (ask as (asked: object) => void)({ what: 'register', uuid: 'a' }));
  expect(dialogs).toContain('register a');
  dialogs = [];
  await act(async () => queries.setQueryData(checkpointsQuery('trial', 7).queryKey, listOf('b')));
  await draw(drawn());
  expect(dialogs).toContain('register a');
  await leave();
});
