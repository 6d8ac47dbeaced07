import { expect, test } from 'vitest';
import { arrived } from './field';

test('what the address answers late does not come over what was typed since', () => {
  const known = ['', 'a', 'ab'];  // it says nothing yet; 'a' and 'ab' were sent
  expect(arrived(known, '')).toEqual(known);
  expect(arrived(known, 'a')).toEqual(['a', 'ab']);
  expect(arrived(known, 'ab')).toEqual(['ab']);
});

test('a value that was never sent, or is behind what has come, is from elsewhere: a saved view, or Back', () => {
  expect(arrived(['', 'a'], 'state = ERROR')).toBeUndefined();
  expect(arrived(['ab'], '')).toBeUndefined();
  expect(arrived(['ab'], 'a')).toBeUndefined();
});
