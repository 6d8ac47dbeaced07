// What the harness's profiler measured of the machines: a chart for each measure, with a curve for each node and device.
import { address } from '../../../api/client';
import type { Schemas } from '../../../api/client';
import { messages } from '../../../api/stream';
import type { Curve } from '../../../charts/curves';
import { finite } from '../../../charts/curves';
import { pause } from '../../../live/turn';

export type Series = Schemas['v1ProfilerLabels'];
export interface Chart { name: string; curves: Curve[] }
export const kMostSeries = 100;
export const kMostPoints = 20_000;  // of one series that are drawn: the newest
export const kMostRead = 200_000;  // of one series: 23 days of one each ten seconds

// `cut`: what of a series is not there. The server gives the oldest first, so that of too many the newest are read the next time.
export type Cut = 'nothing' | 'oldest' | 'newest';
// `seconds` since 1970, parsed once: there may be millions of them.
export interface Point { time: string; seconds: number; value: number | null }
interface Read { points: Point[]; cut: Cut }
interface Kept extends Read { curve: Curve }
// `isLast`: the trial was over when it was read. `took`: ms.
export interface Measured {
  charts: Chart[]; series: number; cut: Cut; took: number; isLast: boolean; kept: ReadonlyMap<string, Kept>;
}

export function pointsOf({ timestamps = [], values = [] }: Schemas['v1ProfilerBatch']): Point[] {
  return timestamps.map((time, i) => ({ time, seconds: Date.parse(time) / 1000, value: finite(values[i]) }));
}

export function curveOf({ name = '', agentId, gpuUuid }: Series, points: readonly Point[]): Curve {
  return { name: [agentId, gpuUuid].filter(Boolean).join(' / ') || name, xs: points.map(({ seconds }) => seconds), ys: points.map(({ value }) => value) };
}

// Charts by name, those of accelerators first. One with the same curves as `before` has the same list of them: it is not drawn anew.
export function chartsOf(measured: readonly (readonly [Series, Curve])[], before: readonly Chart[] = []): Chart[] {
  const charts = new Map<string, Curve[]>();
  for (const [{ name = '' }, curve] of measured) {
    if (curve.xs.length > 0) (charts.get(name) ?? charts.set(name, []).get(name)!).push(curve);
  }
  for (const { name, curves } of before) {
    const now = charts.get(name);
    if (now?.length === curves.length && now.every((curve, i) => curve === curves[i])) charts.set(name, curves);
  }
  const rank = (name: string) => (name.startsWith('gpu') ? 0 : 1);
  return [...charts].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)).map(([name, curves]) => ({ name, curves }));
}

// The newest of all points, and whether there are others. `before`: those that are known, which come before the batches; their list is the same where none came.
export async function newestOf(batches: AsyncIterable<readonly Point[]>, before: Read = { points: [], cut: 'nothing' }): Promise<Read> {
  let points = [...before.points];
  let read = 0;
  for await (const batch of batches) {
    points.push(...batch);
    read += batch.length;
    if (read >= kMostRead) return { points: points.slice(-kMostPoints), cut: 'newest' };
    if (points.length > 2 * kMostPoints) points = points.slice(-kMostPoints);
  }
  return { points: read === 0 ? before.points : points.slice(-kMostPoints), cut: before.cut !== 'nothing' || before.points.length + read > kMostPoints ? 'oldest' : 'nothing' };
}

async function* pointsIn(trial: number, { name, agentId, gpuUuid }: Series, since: string | undefined, signal: AbortSignal): AsyncGenerator<Point[]> {
  const url = address('/api/v1/trials/{id}/profiler/metrics', { id: trial }, { 'labels.name': name, 'labels.agentId': agentId, 'labels.gpuUuid': gpuUuid, since });
  for await (const { batch } of messages<Schemas['v1GetTrialProfilerMetricsResponse']>(url, signal)) if (batch) yield pointsOf(batch);
}

// In how many ms it is read again, or never: what was measured last comes between two reads. The profiler reports every
// ten seconds or less often, and what takes long is read less often.
export function nextRead(now: Pick<Measured, 'cut' | 'took' | 'isLast'> | undefined, isOver: boolean): number | false {
  if (now?.cut === 'newest') return pause(now.took);
  return isOver && now?.isLast ? false : Math.max(15_000, pause(now?.took ?? 0));
}

// `before`: what was read the last time; only what was measured since then is asked for.
export async function systemCharts(
  trial: number, isOver: boolean, signal: AbortSignal, before?: Measured,
): Promise<Measured> {
  const began = performance.now();
  const series: Series[] = [];
  for await (const { labels = [] } of messages<Schemas['v1GetTrialProfilerAvailableSeriesResponse']>(address('/api/v1/trials/{id}/profiler/available_series', { id: trial }), signal)) {
    series.push(...labels);
  }
  const measured: [Series, Curve][] = [];
  const kept = new Map<string, Kept>();
  for (const one of series.slice(0, kMostSeries)) {
    const key = JSON.stringify([one.name, one.agentId, one.gpuUuid]);
    const known = before?.kept.get(key);
    const now = await newestOf(pointsIn(trial, one, known?.points[known.points.length - 1]?.time, signal), known);
    const curve = known && known.points === now.points ? known.curve : curveOf(one, now.points);
    measured.push([one, curve]);
    kept.set(key, { ...now, curve });
  }
  const cuts = new Set([...kept.values()].map(({ cut }) => cut));
  return {
    charts: chartsOf(measured, before?.charts), series: series.length,
    cut: (['newest', 'oldest'] as const).find((cut) => cuts.has(cut)) ?? 'nothing',
    took: performance.now() - began, isLast: isOver, kept,
  };
}
