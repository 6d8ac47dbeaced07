import { describe, expect, test } from 'vitest';
import { aligned, alone, countGaps, gapWords, hasNumber, nothingWords } from './curves';
import { readout } from './readout';

describe('what was reported is no number', () => {
  const one = { name: 'Trial 1', xs: [0, 4, 8], ys: [1, null, 3] };
  const other = { name: 'Trial 2', xs: [1, 3, 5, 9], ys: [1, 1, 1, 1] };
  test('is a gap from one point to the next; a place of another curve is none', () => {
    const [xs, first, second] = aligned([one, other], 'batches', 0, false);
    expect(xs).toEqual([0, 1, 3, 4, 5, 8, 9]);
    expect(first).toStrictEqual([1, null, null, null, null, 3, undefined]);
    expect(second).toStrictEqual([undefined, 1, 1, undefined, 1, undefined, 1]);
  });
  test('hides no number that has the same place', () => {
    const twice = { name: 'a', xs: [1, 1, 2, 2], ys: [5, null, null, 6] };
    expect(aligned([twice], 'batches', 0, false)[1]).toEqual([5, 6]);
  });
  test('leaves numbers alone that no line reaches', () => {
    expect(alone([1, null, 2, undefined, null, 3, undefined, 4, null, 5])).toEqual([0, 2, 9]);
    expect(alone([1, undefined, 2])).toEqual([]);
    expect(alone([undefined, 1])).toEqual([1]);
  });
  test('is told, those in a row as one', () => {
    expect(countGaps([{ ...one, ys: [null, null, 3] }, { ...one, ys: [null, 2, null] }, other])).toBe(3);
    expect(gapWords(1)).toMatch(/^In 1 place /);
    expect(gapWords(1200)).toMatch(/^In 1,200 places /);
    expect([hasNumber([{ ...one, ys: [null] }]), hasNumber([one]), hasNumber([])]).toEqual([false, true, false]);
  });
});

test('nothing is promised of trials that have ended', () => {
  expect(nothingWords('loss', false, true)).toEqual({ title: 'Nothing was reported yet', text: 'The curve shows when a trial reports loss.' });
  for (const isReported of [true, false]) expect(nothingWords('loss', isReported, false).text).not.toContain('shows');
  expect(nothingWords('loss', true, true).text).toBe('Whatever was reported of loss is no number, such as NaN. The curve shows when a number comes.');
});

test('the words below a chart are of the place that is pointed at now', () => {
  const curves = [{ name: 'Trial 1', xs: [1, 2], ys: [0.5, 0.25] }, { name: 'Trial 2', xs: [2], ys: [7] }];
  const data = aligned(curves, 'batches', 0, false);
  expect([0, 1].map((at) => readout(curves, data, 'batches', 1, at))).toEqual(['Trial 1 · batch 1 · 0.5', 'Trial 1 · batch 2 · 0.25']);
  expect(readout(curves, data, 'batches', 2, 1)).toBe('Trial 2 · batch 2 · 7');
  expect([readout(curves, data, 'batches', 2, 0), readout(curves, data, 'batches', null, 0), readout(curves, data, 'batches', 1, null), readout(curves, data, 'batches', 1, 9)]).toEqual(['', '', '', '']);
});
