import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { LabelsDialog } from '../pages/experiment/actions/LabelsDialog';
import ViewsDialog from '../pages/experiments/ViewsDialog';
import { viewsQuery } from '../pages/experiments/views';
import { act, mount, propsOf } from '../testing/mount';
import type { Frame } from './Dialog';

let frame: Parameters<typeof Frame>[0] | undefined;
vi.mock('./Dialog', () => ({ Frame: (props: Parameters<typeof Frame>[0]) => { frame = props; return null; } }));
afterEach(() => vi.unstubAllGlobals());

// Presses what is named so in a dialog whose request gets no answer, and says whether it is busy, and its Close is off,
// before and after. `within`: where the buttons are in what it shows.
async function press(dialog: ReactElement, name: string, within: (shown: ReactNode) => ReactNode = (shown) => shown) {
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  const queries = new QueryClient();
  queries.setQueryData(viewsQuery.queryKey, [{ name: 'mine', search: {} }]);
  const { leave } = await mount(createElement(QueryClientProvider, { client: queries }, dialog));
  const button = (isIt: Parameters<typeof propsOf>[1]) => propsOf(within(frame!.children), isIt);
  const state = () => [frame!.isBusy, button(({ children }) => children === 'Close')['disabled']];
  const before = state();
  await act(async () => {
    button((props) => props['aria-label'] === name).onClick!();
    await new Promise((told) => setTimeout(told));
  });
  const after = state();
  await leave();
  return [before, after];
}

test('a dialog stays until what was asked for in it is done or refused', async () => {
  const experiment = { id: 5, labels: ['a'] } as Parameters<typeof LabelsDialog>[0]['experiment'];
  const labels = createElement(LabelsDialog, { experiment, close: () => {} });
  expect(await press(labels, 'Take away the label a')).toEqual([[false, false], [true, true]]);
  const views = createElement(ViewsDialog, { search: {}, open: () => {}, close: () => {} });
  // Its list is drawn by a function that gets the views.
  type List = (views: object[]) => ReactNode;
  const listed = (shown: ReactNode) => (
    propsOf(shown, ({ children }) => typeof children === 'function').children as List)([{ name: 'mine', search: {} }]);
  expect(await press(views, 'Delete the view mine', listed)).toEqual([[false, false], [true, true]]);
});
