import { readFileSync, readdirSync } from 'node:fs';
import { act, createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { mount } from '../testing/mount';
import { Frame } from './Dialog';

let drawn: string[] = [];
const part = vi.hoisted(() => ({ isAway: true, asked: 0 }));
vi.mock('../lib/newer', () => ({ reloadOnce: async () => { part.asked += 1; return false; } }));
vi.mock('./above-page', () => {
  if (part.isAway) throw new Error('Failed to fetch dynamically imported module');
  return { ModalFrame: ({ title }: { title: string }) => { drawn.push(title); return null; }, OpenMenu: () => null };
});
afterEach(() => { vi.unstubAllGlobals(); vi.useRealTimers(); });

test('a dialog that was opened while the server was away shows when it is back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const frame = (isOpen: boolean) => createElement(Frame, { title: 'a', isOpen, close: () => {}, children: null });
  const { draw, leave } = await mount(frame(false));
  await act(async () => vi.advanceTimersByTimeAsync(60_000));
  expect(part.asked).toBe(0);  // nobody opened one
  await draw(frame(true));
  await act(async () => vi.advanceTimersByTimeAsync(100));
  expect([part.asked, drawn]).toEqual([1, []]);
  part.isAway = false;
  await act(async () => vi.advanceTimersByTimeAsync(2_000));
  expect(drawn).toContain('a');
  await leave();
});

test('nothing that the first page needs brings the library behind them', () => {
  const root = new URL('../', import.meta.url);
  const isSource = (name: string) => /\.tsx?$/.test(name) && !name.includes('.test.');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(isSource);
  const users = sources.filter((name) => /from 'react-aria/.test(readFileSync(new URL(name, root), 'utf8')));
  expect(users.sort()).toEqual(['components/ModalFrame.tsx', 'components/OpenMenu.tsx', 'pages/palette/Palette.tsx']);
});
