import { expect, test } from 'vitest';
import { scrolledTo, stepped } from './step';

test('arrows begin at what is in view, and stop at the ends', () => {
  expect([stepped(-1, 'ArrowDown', 100, [10, 30]), stepped(-1, 'ArrowUp', 100, [10, 30])]).toEqual([10, 30]);
  expect([stepped(12, 'ArrowDown', 100, [10, 30]), stepped(12, 'ArrowUp', 100, [10, 30])]).toEqual([13, 11]);
  expect([stepped(0, 'ArrowUp', 3, [0, 2]), stepped(2, 'ArrowDown', 3, [0, 2]), stepped(-1, 'ArrowUp', 3, [0, 40])]).toEqual([0, 2, 2]);
  expect([stepped(1, 'PageDown', 3, [0, 2]), stepped(-1, 'ArrowDown', 0, [0, 0])]).toEqual([undefined, undefined]);
});

test('a line that is in view moves nothing; another comes to the nearer edge', () => {
  expect([scrolledTo(5, 20, 60, 200), scrolledTo(12, 20, 60, 200)]).toEqual([60, 60]);
  expect([scrolledTo(2, 20, 60, 200), scrolledTo(13, 20, 60, 200)]).toEqual([40, 80]);
});
