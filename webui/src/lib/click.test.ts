import { expect, test } from 'vitest';
import { isPlain } from './click';

const click = { metaKey: false, altKey: false, ctrlKey: false, shiftKey: false, button: 0, defaultPrevented: false };

test('a plain click is the page\'s, what opens a tab or a window or was taken already is not', () => {
  expect(isPlain(click)).toBe(true);
  for (const other of [{ metaKey: true }, { altKey: true }, { ctrlKey: true }, { shiftKey: true }, { button: 1 }, { defaultPrevented: true }]) {
    expect(isPlain({ ...click, ...other })).toBe(false);
  }
});
