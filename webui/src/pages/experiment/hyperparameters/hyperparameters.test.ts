import { describe, expect, test } from 'vitest';
import type { Row } from './axes';
import { axesOf, axisOf, badness, fewest, field, flat, kMetricAxis, kinds, placeOn, textAt, ticks } from './axes';
import { brushesOf, isIn, keptOf, placesOf, withBrush } from './brushes';
import { percent, whisker } from './share';
import { drawnOf, goalOf, metricsOf, rowsOf } from './rows';

const row = (trial: number, values: Record<string, unknown>, metric = trial): Row => ({ trial, values, metric });

describe('axes', () => {
  test('nested hyperparameters get names with dots, as the configuration gives them kinds', () => {
    expect(flat({ net: { width: 3, sizes: [1, 2] }, lr: 0.1 })).toEqual({ 'net.width': 3, 'net.sizes': [1, 2], lr: 0.1 });
    expect(kinds({ net: { width: { type: 'int' } }, lr: { type: 'log' } })).toEqual({ 'net.width': 'int', lr: 'log' });
  });
  test('only what differs is an axis', () => {
    expect(axesOf([row(1, { a: 1, b: 'x' }), row(2, { a: 2, b: 'x' })], {}).map(({ name }) => name)).toEqual(['a']);
  });
  test('a logarithmic one has equal distances between powers', () => {
    const axis = axisOf('lr', [0.0001, 0.01, 1], 'log');
    expect(placeOn(axis, 0.01)).toBeCloseTo(0.5);
    expect(textAt(axis, 0.5)).toBe('0.01');
    expect(axisOf('lr', [0, 1], 'log').kind).toBe('linear');
  });
  test('categories keep the order of numbers, and unknown values have no place', () => {
    const axis = axisOf('width', [128, 32, 64], 'categorical');
    expect(axis.categories).toEqual(['32', '64', '128']);
    expect(placeOn(axis, 64)).toBe(0.5);
    expect(placeOn(axis, 65)).toBeUndefined();
    expect(ticks(axis).map(({ text }) => text)).toEqual(['32', '64', '128']);
    expect(axisOf('mixed', [1, 'a']).kind).toBe('category');
  });
  test('whole numbers have whole ticks', () => {
    expect(ticks(axisOf('layers', [1, 2, 8])).map(({ text }) => text)).toEqual(['1', '3', '5', '6', '8']);
    expect(ticks(axisOf('layers', [1, 2])).map(({ at }) => at)).toEqual([0, 1]);
  });
  test('hundreds of thousands of values have a least and a largest', () => {
    expect(axisOf('x', Array.from({ length: 300_000 }, (_, i) => i)).max).toBe(299_999);
  });
});

describe('brushes', () => {
  const rows = [row(1, { a: 0, net: 'adam' }), row(2, { a: 5, net: 'adam' }), row(3, { a: 10, net: 'sgd' }), row(4, {})];
  const axes = axesOf(rows, {});
  const of = (name: string) => axes.find((axis) => axis.name === name)!;
  const ids = (all: readonly Row[], name: string, places: [number, number]) => {
    const kept = keptOf(of(name), places)!;
    return all.filter((one) => isIn(one, axesOf(all, {}), { [name]: kept })).map(({ trial }) => trial);
  };
  test('keep a trial where it is within every one', () => {
    expect(ids(rows, 'a', [0.5, 1])).toEqual([2, 3]);
    expect(ids(rows, 'net', [0, 0.4])).toEqual([1, 2]);
    expect(rows.filter((one) => isIn(one, axes, {})).length).toBe(4);
    expect(keptOf(of('a'), [0, 1])).toBeUndefined();
  });
  test('mean the same when a trial comes that widens the scale, or has another value', () => {
    const more = [...rows, row(5, { a: 1000, net: 'adamw' })];
    expect(ids(more, 'a', [0, 0.5])).toEqual([1, 2]);
    expect(ids(more, 'net', [0, 0])).toEqual([1, 2]);
    const [low, high] = placesOf(axisOf('a', [0, 1000]), { max: 5 })!;
    expect([low, high]).toEqual([0, 0.005]);
    expect(placesOf(axisOf('net', ['adam', 'adamw', 'sgd']), { from: 'adam', to: 'adam' })).toEqual([0, 0]);
  });
  test('go to a place and back on a logarithmic axis', () => {
    const axis = axisOf('lr', [0.0001, 0.01, 1], 'log');
    const kept = keptOf(axis, [0.5, 0.5])!;
    expect(isIn(row(1, { lr: 0.01 }), [axis], { lr: kept })).toBe(true);
    expect(placesOf(axis, kept)).toEqual([expect.closeTo(0.5), expect.closeTo(0.5)]);
  });
  test('of a metric are those of that metric only', () => {
    const all = withBrush({ a: { min: 1 } }, kMetricAxis, 'loss', { max: 0.4 });
    expect(brushesOf(all, 'loss')).toEqual({ a: { min: 1 }, [kMetricAxis]: { max: 0.4 } });
    expect(brushesOf(all, 'accuracy')[kMetricAxis]).toBeUndefined();
    expect(withBrush(all, kMetricAxis, 'loss', undefined)).toEqual({ a: { min: 1 } });
  });
});

test('the best is 0, whichever way is better', () => {
  const axis = axisOf('m', [1, 3]);
  expect([badness(axis, 1, true), badness(axis, 1, false)]).toEqual([0, 1]);
});

test('a field has the mean of its trials', () => {
  const rows = [row(1, { a: 0, b: 'x' }, 2), row(2, { a: 0.1, b: 'x' }, 4), row(3, { a: 1, b: 'y' }, 9)];
  const cells = field(rows, axisOf('a', [0, 1]), axisOf('b', ['x', 'y']), 4);
  expect(cells.length).toBe(2);
  expect(cells[0]![0]).toEqual({ mean: 3, trials: 2 });
  expect(cells[1]![3]).toEqual({ mean: 9, trials: 1 });
  expect(cells[1]![0]!.trials).toBe(0);
});

test('texts that differ in each trial have few fields, one of them for all others', () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => row(i, { seed: i % 2 ? 'usual' : `seed ${i}`, shard: `shard ${i}` }));
  const axes = axesOf(rows, {}).map((axis) => fewest(rows, axis));
  const cells = field(rows, axes[0]!, axes[1]!, 8);
  expect([cells.length, cells[0]!.length]).toEqual([40, 40]);
  expect(cells.flat().reduce((sum, { trials }) => sum + trials, 0)).toBe(10_000);
  expect(axes[0]!.categories).toContain('usual');
  expect(fewest(rows, axisOf('a', [0, 1])).categories).toEqual([]);
});

test('null is a value only where the search chooses from a list', () => {
  expect(axisOf('dropout', [0.1, null, 0.5])).toMatchObject({ kind: 'linear', min: 0.1, max: 0.5 });
  expect(axisOf('dropout', [0.1, null], 'categorical').categories).toEqual(['0.1', 'null']);
  expect(placeOn(axisOf('name', ['a', null, 'b']), null)).toBeUndefined();
});

test('trials without a number there are left out', () => {
  const trial = (id: number, loss: unknown) => ({ id, hparams: { a: id }, bestValidation: { metrics: { avgMetrics: { loss } } } });
  const trials = [trial(1, 0.5), trial(2, 'NaN'), { id: 3 }];
  expect(metricsOf(trials)).toEqual(['loss']);
  expect(rowsOf(trials, 'loss')).toEqual([{ trial: 1, values: { a: 1 }, metric: 0.5 }]);
});

describe('importance', () => {
  test('shares are told in whole percents, small ones with one more digit', () => {
    expect([0, 0.004, 0.0996, 0.71, 1].map(percent)).toEqual(['0 %', '0.4 %', '10 %', '71 %', '100 %']);
  });
  test('whiskers end where shares do', () => {
    expect(whisker(0.95, 0.1)).toEqual({ from: 0.85, to: 1 });
    expect(whisker(0.05, 0.1)).toEqual({ from: 0, to: expect.closeTo(0.15) });
  });
});

test('what trials that are asked for again do not change is not drawn anew', () => {
  const space = { lr: { type: 'log' }, net: { width: { type: 'int' } } };
  const trials = (best: number) => [[1, 0.1, 8, 0.5], [2, 0.01, 4, best]].map(([id, lr, width, loss]) => ({ id, hparams: { lr, net: { width } }, bestValidation: { metrics: { avgMetrics: { loss } } } })) as unknown as Parameters<typeof rowsOf>[0];
  const before = drawnOf(trials(0.7), 'loss', space);
  expect(before.axes.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['lr log', 'net.width linear']);
  expect(drawnOf(trials(0.7), 'loss', space, before)).toBe(before);
  const after = drawnOf(trials(0.6), 'loss', space, before);
  expect([after.rows === before.rows, after.rows[0] === before.rows[0], after.axes === before.axes]).toEqual([false, true, true]);
  expect(after.scale.max).toBe(0.6);
});

test('what all is drawn against is the metric of the address where trials have it, else the one that is searched for', () => {
  expect(goalOf('accuracy', ['accuracy', 'loss'], 'loss')).toBe('accuracy');
  expect([goalOf('gone', ['accuracy', 'loss'], 'loss'), goalOf(undefined, ['accuracy'], 'loss'), goalOf(undefined, [], 'loss')]).toEqual(['loss', 'accuracy', 'loss']);
});
