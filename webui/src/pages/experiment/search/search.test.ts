import { describe, expect, test } from 'vitest';
import { columnsOf, kFates, trainsIn } from './rungs';
import { pause } from '../../../live/turn';
import { lastPage } from './replay';
import { axisOf, decisionWords, eventWords } from './words';

const best = (...trials: number[]) => trials.map((trial) => ({ id: `r${trial}`, trial, metric: trial / 10 }));

describe('rungs', () => {
  const bracket = { rungs: [{ length: 2, results: 4, trials: 3, best: best(1, 2, 3, 4) }, { length: 8, results: 1, trials: 1, best: best(1) }] };
  test('tell who went on, who was stopped and who still trains', () => {
    const { columns, ways } = columnsOf(bracket, (trial) => trial === 2);
    expect(columns[0]?.places.map(({ fate }) => fate)).toEqual(['went-on', 'trains', 'stopped', 'stopped']);
    expect(columns[1]?.places.map(({ fate }) => fate)).toEqual(['finished']);
    expect(ways).toEqual([{ column: 0, from: 0, to: 0 }]);
  });
  test('claim nothing of trials that may be among those that are not named', () => {
    const many = { rungs: [{ length: 2, results: 90, trials: 60, best: best(1, 2) }, { length: 8, results: 30, trials: 30, best: best(2) }] };
    const { columns } = columnsOf(many, () => false);
    expect(columns[0]?.places.map(({ fate }) => fate)).toEqual(['unknown', 'went-on']);
    expect(columns.map(({ hidden }) => hidden)).toEqual([88, 29]);
  });
  test('claim of nobody that it was stopped before its state is known', () => {
    const fates = (trials: Parameters<typeof trainsIn>[0]) => columnsOf(bracket, trainsIn(trials)).columns[0]?.places.map(({ fate }) => fate);
    expect(fates(undefined)).toEqual(['went-on', 'unknown', 'unknown', 'unknown']);
    expect(fates([{ id: 2, state: 'STATE_RUNNING' }, { id: 3, state: 'STATE_COMPLETED' }])).toEqual(['went-on', 'trains', 'stopped', 'unknown']);
    expect(kFates.unknown).not.toMatch(/stopped|ended/);
  });
  test('of a search that just began are empty', () => {
    expect(columnsOf({ rungs: [{ length: 2, results: 0, trials: 0, best: [] }] }, () => false).columns[0]?.places).toEqual([]);
    expect(columnsOf({}, () => false)).toEqual({ columns: [], ways: [] });
  });
});

describe('words', () => {
  test('name a trial by its number, or by its request where it has none', () => {
    expect(decisionWords({ t: 'stop', trial: 3, why: 'x' }, 'batches')).toMatchObject({ text: 'Stop trial 3', trial: 3, tone: 'bad' });
    expect(decisionWords({ t: 'create', id: '0123456789ab' }, 'batches').text).toBe('Make the trial of request 01234567');
  });
  test('say what was reported of the metric that is searched for, and after how much', () => {
    expect(eventWords({ in: 'validation', trial: 1, metrics: { batches: 8, loss: 0.51234, other: 2 } }, 'loss', 'batches').text).toBe('Trial 1 reported loss 0.5123 after 8 batches');
    expect(eventWords({ in: 'validation', trial: 1, length: 40, metric: 2 }, 'loss', 'batches').text).toBe('Trial 1 trained to 40 batches: 2');
  });
  test('take whatever the log holds', () => {
    expect(eventWords({ in: 'something new', trial: 1 }, '', '').text).toBe('Trial 1: something new');
    expect(eventWords({}, '', '').text).toMatch(/request/);
    expect(decisionWords({ t: 'shutdown', failure: true }, '').text).toBe('The search failed');
  });
  test('name what lengths count, of both generations', () => {
    expect(axisOf({ time_metric: 'tokens' })).toBe('tokens');
    expect(axisOf({ max_length: { epochs: 3 } })).toBe('epochs');
    expect(axisOf({})).toBe('batches');
  });
});

test('the server rests longer than it works', () => {
  expect(pause(10)).toBe(3000);
  expect(pause(2000)).toBe(20_000);
  expect([0, 1, 500, 501].map(lastPage)).toEqual([0, 0, 0, 1]);
});
