import { expect, test } from 'vitest';
import { curvesOf, readData, rungWords } from './data';

test('a report without an experiment is none', () => {
  expect(readData('null')).toBeUndefined();
  expect(readData('{"trials":[]}')).toBeUndefined();
  expect(readData('no json')).toBeUndefined();
  expect(readData('{"experiment":{"id":7}}')?.experiment?.id).toBe(7);
});

test('curves have the metric of the search, and those without a number are left out', () => {
  const data = [{ batches: 1, time: 't', values: { loss: 2 } }, { batches: 2, time: 't', values: { loss: 'NaN' as const } }];
  expect(curvesOf({ metric: 'loss', curves: { trials: [{ trial: { id: 7 }, metrics: [{ data }] }, { trial: { id: 8 }, metrics: [{ data: [] }] }] } }))
    .toEqual([{ name: 'Trial 7', xs: [1, 2], ys: [2, null] }]);
  expect(curvesOf({ curves: { failed: 'away' } })).toEqual([]);
});

test('rungs are told in words', () => {
  expect(rungWords({ rungs: [{ length: 2, results: 9, trials: 6 }, { length: 8, results: 1, trials: 1 }] }, 'batches')).toEqual([
    '9 trials have a result after 2 batches; for 6 of them it is the highest rung so far.', '1 trial has a result after 8 batches, the end of the bracket.',
  ]);
});
