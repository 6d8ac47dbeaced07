import { expect, test } from 'vitest';
import { refusal } from './act';

test('what was refused before a request failed is told with it', () => {
  const failure = new Error('The server answered with status 504.');
  expect(refusal({ refused: [], left: 0 }, 3000)).toBeUndefined();
  expect(refusal({ refused: [], left: 3000, failure }, 3000)).toBe(failure.message);
  expect(refusal({ refused: ['Experiment 7: not yours'], left: 2000, failure }, 3000)).toBe(`Experiment 7: not yours; The last 2000 of 3000: ${failure.message}`);
});

test('of many refusals the first five are told, and how many more there are', () => {
  const refused = Array.from({ length: 7 }, (_, i) => `Experiment ${i}: no`);
  expect(refusal({ refused, left: 0 }, 7)).toBe(`${refused.slice(0, 5).join('; ')}; and 2 more`);
});
