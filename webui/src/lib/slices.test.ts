import { Suspense, createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { act, mount } from '../testing/mount';
import { adapted, grown, useSliced } from './slices';

afterEach(() => vi.unstubAllGlobals());

const range = (first: number, last: number) => ({ first, last });

test('what is drawn grows to what is wanted without a gap', () => {
  expect(grown(range(0, 20), range(5, 25), 3)).toEqual(range(5, 23));
  expect(grown(range(5, 25), range(0, 20), 3)).toEqual(range(2, 20));
  expect(grown(range(8, 10), range(5, 12), 4)).toEqual(range(6, 12));
  expect(grown(range(0, 20), range(0, 20), 3)).toEqual(range(0, 20));
  expect(grown(range(0, 40), range(10, 20), 0)).toEqual(range(10, 20));
});

test('after a leap it begins in the middle, and ends with all', () => {
  const wanted = range(100, 120);
  expect(grown(range(0, 20), wanted, 3)).toEqual(range(109, 111));
  const none = grown(range(0, 20), wanted, 0);
  expect(none.last).toBeLessThan(none.first);
  expect(grown(range(0, 20), range(100, 101), 64)).toEqual(range(100, 101));
  let drawn = none;
  for (let frames = 0; frames < 7; frames += 1) drawn = grown(drawn, wanted, 3);
  expect(drawn).toEqual(wanted);
});

test('fewer rows are drawn in a frame that was long, more in one that was short', () => {
  expect([adapted(4, 4, 90), adapted(1, 1, 90), adapted(4, 4, 20), adapted(4, 4, 5), adapted(64, 64, 5)]).toEqual([2, 1, 4, 8, 64]);
  expect(adapted(4, 1, 5)).toBe(4);  // one row was left to draw: that says nothing of four
  expect(adapted(64, 8, 90)).toBe(4);
});

test('a list whose page was set aside while the next one came is drawn on when it is back', async () => {
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => {});
  let drawn: number[] = [];
  const List = ({ first }: { first: number }) => {
    const items = Array.from({ length: 10 }, (_, at) => ({ index: first + at }));
    drawn = useSliced(items).map(({ index }) => index);
    return null;
  };
  let come = () => {};
  const coming = new Promise<void>((done) => { come = done; });
  const Next = ({ isThere }: { isThere: boolean }) => { if (!isThere) throw coming; return null; };
  const shown = (first: number, isThere: boolean) => createElement(Suspense, { fallback: null }, createElement(List, { first }), createElement(Next, { isThere }));
  const page = await mount(shown(0, true));
  await page.draw(shown(0, false));
  await page.draw(shown(0, true));
  await act(come);
  await page.draw(shown(100, true));
  expect(drawn).toEqual([]);
  for (let i = 0; i < 10; i += 1) await act(() => frames.shift()?.());
  expect(drawn.length).toBeGreaterThan(0);
  await page.leave();
});
