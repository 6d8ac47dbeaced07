import { describe, expect, test, vi } from 'vitest';
import { tick } from '../../lib/format';
import { readLogSearch } from './address';
import { countWords } from './count';
import { metricsOf } from './metric-order';
import { podsOf, reasonWords, runsOf, span } from './runs/runs';
import { chartsOf, curveOf, kMostPoints, kMostRead, newestOf, nextRead, pointsOf, systemCharts } from './system/system';

test('the address of a log keeps only what is right in it', () => {
  expect(readLogSearch({ q: 42, regex: true, level: 'ERROR', rank: 0, pod: 'p', line: 7, at: '2026-11-25T22:04:35.272897Z' }))
    .toEqual({ q: '42', regex: true, level: 'ERROR', rank: 0, pod: 'p', line: 7, at: '2026-11-25T22:04:35.272897Z' });
  expect(readLogSearch({ q: 'x'.repeat(1001), regex: 'yes', level: 'LOUD', rank: -1, line: 1.5, at: 'never' })).toEqual({});
});

test('what the search looks for is the first chart, then what was validated', () => {
  const number = { type: 'number' as const, count: 5 };
  const summaryMetrics = { avg_metrics: { a: number, loss: { ...number, count: 30_000 } }, validation_metrics: { a: number, loss: number, text: { type: 'string' as const } }, gpu: { a: number } };
  const shown = (searched: string) => metricsOf({ summaryMetrics } as unknown as Parameters<typeof metricsOf>[0], searched).map(({ id }) => id);
  expect(shown('loss')).toEqual(['validation.loss', 'training.loss', 'validation.a', 'gpu.a', 'training.a']);
  expect(shown('')).toEqual(['validation.a', 'validation.loss', 'gpu.a', 'training.a', 'training.loss']);
  expect(metricsOf({}, 'loss')).toEqual([]);
});

describe('runs', () => {
  const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  const runs = runsOf([
    { allocationId: '2.x.3', startTime: at(30), endTime: null },
    { allocationId: '2.x.2', startTime: at(20), endTime: at(25), exitReason: 'resources exited successfully with a zero exit code', statusCode: 0 },
    { allocationId: '2.x.1', startTime: at(0), endTime: at(10), exitReason: 'resources failed with non-zero exit code: pod p (exit code 1)', statusCode: 1 },
  ]);
  test('are in the order of their starts, with how each ended', () => {
    expect(runs.map(({ number, tone }) => [number, tone])).toEqual([[1, 'bad'], [2, 'good'], [3, 'run']]);
    expect(reasonWords(runs[0]!)).toMatch(/exit code 1/);
    expect(reasonWords(runs[2]!)).toMatch(/runs again/);
  });
  test('one that was only ended is neither good nor bad', () => {
    expect(runsOf([{ allocationId: 'a.1', startTime: at(0), endTime: at(1), exitReason: 'allocation preempted' }])[0]?.tone).toBe('calm');
  });
  test('span what is not over until now', () => {
    const { from, to } = span(runs, Date.parse(at(40)));
    expect(to - from).toBe(40_000);
  });
  test('have the pods that bear their number', () => {
    expect([...podsOf(['exp-2-5-2-0', 'exp-2-5-1-10', 'exp-2-5-1-2', 'other'])]).toEqual([[1, ['exp-2-5-1-2', 'exp-2-5-1-10']], [2, ['exp-2-5-2-0']]]);
  });
});

test('system metrics are a chart for each measure and a curve for each device', () => {
  const points = pointsOf({ timestamps: ['1970-01-01T00:00:01Z', '1970-01-01T00:00:02.5Z'], values: [1, 'NaN'] });
  expect(points).toEqual([{ time: '1970-01-01T00:00:01Z', seconds: 1, value: 1 }, { time: '1970-01-01T00:00:02.5Z', seconds: 2.5, value: null }]);
  const all = [{ name: 'cpu_util', agentId: 'node' }, { name: 'gpu_util', agentId: 'node', gpuUuid: 'A' }, { name: 'gpu_util', agentId: 'node', gpuUuid: 'B' }, { name: 'never' }];
  const measured = all.map((series) => [series, curveOf(series, series.name === 'never' ? [] : points)] as const);
  const charts = chartsOf(measured);
  expect(charts.map(({ name, curves }) => [name, curves.map((curve) => curve.name)])).toEqual([['gpu_util', ['node / A', 'node / B']], ['cpu_util', ['node']]]);
  expect(charts[1]?.curves[0]).toEqual({ name: 'node', xs: [1, 2.5], ys: [1, null] });
  // The next time one of the accelerators has reported.
  const later = chartsOf(measured.map(([series, curve], i) => [series, i === 1 ? curveOf(series, points) : curve] as const), charts);
  expect(later.map(({ curves }, i) => curves === charts[i]?.curves)).toEqual([false, true]);
});

test('of a long run the newest measurements are drawn, and it is told that others are not', async () => {
  const kBatch = 1000;
  async function* measured(count: number) {
    for (let first = 0; first < count; first += kBatch) yield Array.from({ length: Math.min(kBatch, count - first) }, (_, i) => ({ time: '', seconds: 0, value: first + i }));
  }
  const read = async (count: number) => {
    const { points, cut } = await newestOf(measured(count));
    return [points[0]?.value, points[points.length - 1]?.value, points.length, cut];
  };
  expect(await read(kMostPoints)).toEqual([0, kMostPoints - 1, kMostPoints, 'nothing']);
  expect(await read(90_500)).toEqual([90_500 - kMostPoints, 90_499, kMostPoints, 'oldest']);
  expect(await read(kMostRead + 5000)).toEqual([kMostRead - kMostPoints, kMostRead - 1, kMostPoints, 'newest']);
  // The next time only what is new is read.
  const first = await newestOf(measured(3000));
  expect(first.cut).toBe('nothing');
  const second = await newestOf(measured(kMostPoints), first);
  expect([second.points.length, second.cut]).toEqual([kMostPoints, 'oldest']);
  expect((await newestOf(measured(1), second)).cut).toBe('oldest');
  expect(await newestOf(measured(0), first)).toEqual(first);
  expect((await newestOf(measured(0), first)).points).toBe(first.points);
  expect((await newestOf(measured(0), { ...first, cut: 'newest' })).cut).toBe('oldest');
});

test('measurements are read until they have been read after the end of the trial', async () => {
  vi.stubGlobal('document', { baseURI: 'http://host/ui/' });
  vi.stubGlobal('fetch', async () => new Response(''));
  const read = (isOver: boolean) => systemCharts(7, isOver, new AbortController().signal);
  const [before, after] = [await read(false), await read(true)];
  expect([nextRead(undefined, true), nextRead(before, true), nextRead(after, true)]).toEqual([15_000, 15_000, false]);
  expect(nextRead(after, false)).toBe(15_000);  // it goes on
  expect(nextRead({ cut: 'newest', took: 0, isLast: true }, true)).toBe(3000);
  expect(nextRead({ cut: 'oldest', took: 5000, isLast: false }, false)).toBe(50_000);
  vi.unstubAllGlobals();
});

test('numbers on an axis are short', () => {
  expect([0, 0.00001, 0.25, 99.5, 12_345, 1.1e9, -2e6].map(tick)).toEqual(['0', '1e-5', '0.25', '99.5', '12345', '1.1B', '-2M']);
});

describe('the number of lines', () => {
  const place = (isBegin: boolean, isEnd: boolean, isNarrowed: boolean) => ({ isBegin, isEnd, isNarrowed });
  test('is that of a log that is here as a whole', () => {
    expect(countWords(1, place(true, true, false))).toBe('1 line');
    expect(countWords(12, place(true, true, true), { count: '999', isAll: true })).toBe('12 lines found');
  });
  test('tells how many more a search finds', () => {
    expect(countWords(1000, place(false, true, true))).toBe('1,000 lines from the end');
    expect(countWords(1000, place(false, true, true), { count: '4321', isAll: true })).toBe('1,000 of 4,321 found from the end');
    expect(countWords(1000, place(true, false, true), { count: '100000', isAll: false })).toBe('1,000 of 100,000 and more found from the begin');
    expect(countWords(1000, place(false, true, false), { count: '4321', isAll: true })).toBe('1,000 lines from the end');
    expect(countWords(1000, place(false, true, true), { count: '900', isAll: true })).toBe('1,000 lines from the end');
  });
});
