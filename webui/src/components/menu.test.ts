import { expect, test } from 'vitest';
import { nextItem, placeBelow } from './menu';

const key = (name: string) => ({ key: name, ctrlKey: false, altKey: false, metaKey: false });
const kItems = ['Settings', 'Administration', 'Sign out'];

test('arrows go through a menu and round its ends', () => {
  const from = (at: number, name: string) => nextItem(kItems, at, key(name));
  expect([from(0, 'ArrowDown'), from(2, 'ArrowDown'), from(0, 'ArrowUp'), from(2, 'ArrowUp')]).toEqual([1, 0, 2, 1]);
  expect([from(1, 'Home'), from(1, 'End')]).toEqual([0, 2]);
  expect([from(-1, 'ArrowDown'), from(-1, 'ArrowUp')]).toEqual([0, 2]);  // none has the keyboard
});

test('a letter leads to the next item that begins with it', () => {
  const from = (at: number, name: string) => nextItem(kItems, at, key(name));
  expect([from(0, 's'), from(2, 's'), from(0, 'A'), from(1, 'a')]).toEqual([2, 0, 1, 1]);
  expect([from(0, 'x'), from(0, ' '), from(0, 'Enter'), from(0, 'Shift')]).toEqual([undefined, undefined, undefined, undefined]);
  expect(nextItem(kItems, 0, { ...key('a'), ctrlKey: true })).toBeUndefined();
  expect(nextItem([], -1, key('ArrowDown'))).toBeUndefined();
});

test('a menu stays in the window', () => {
  const window = { width: 400, height: 300 };
  const menu = { width: 190, height: 100 };
  const at = (left: number, top: number) => placeBelow({ left, right: left + 60, top, bottom: top + 30 }, menu, window);
  expect(at(300, 20)).toEqual({ left: 170, top: 56 });
  expect(at(0, 20)).toEqual({ left: 6, top: 56 });
  expect(at(338, 20)).toEqual({ left: 204, top: 56 });
  expect(at(300, 250)).toEqual({ left: 170, top: 144 });  // above
  expect(placeBelow({ left: 0, right: 60, top: 20, bottom: 50 }, { width: 190, height: 400 }, window).top).toBe(56);  // room nowhere
});
