// What the harness's profiler measured of the machines: a chart for each measure, with a curve for each node and device.
import { address } from '../../../api/client';
import type { Schemas } from '../../../api/client';
import { messages } from '../../../api/stream';
import type { Curve, Point } from '../../../charts/curves';
import { curveOf, finite } from '../../../charts/curves';

export type Series = Schemas['v1ProfilerLabels'];
export interface Chart { name: string; curves: Curve[] }
export const kMostSeries = 100;
export const kMostPoints = 20_000;  // of one series that are drawn: the newest
export const kMostRead = 200_000;  // of one series: 23 days of one each ten seconds

// `cut`: what of a series is not there. The server gives the oldest first, so that of too many the newest are never read.
export type Cut = 'nothing' | 'oldest' | 'newest';
export interface Measured { charts: Chart[]; series: number; cut: Cut; took: number }

export function pointsOf({ timestamps = [], values = [] }: Schemas['v1ProfilerBatch']): Point[] {
  return timestamps.map((time, i) => ({ batches: 0, time, value: finite(values[i]) }));
}

// Charts by name, those of accelerators first.
export function chartsOf(measured: readonly (readonly [Series, Point[]])[]): Chart[] {
  const charts = new Map<string, Curve[]>();
  for (const [{ name = '', agentId, gpuUuid }, points] of measured) {
    if (points.length === 0) continue;
    const curves = charts.get(name) ?? charts.set(name, []).get(name)!;
    curves.push(curveOf([agentId, gpuUuid].filter(Boolean).join(' / ') || name, points, 'time'));
  }
  const rank = (name: string) => (name.startsWith('gpu') ? 0 : 1);
  return [...charts].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)).map(([name, curves]) => ({ name, curves }));
}

// The newest of all points, and whether there are others.
export async function newestOf(batches: AsyncIterable<readonly Point[]>): Promise<{ points: Point[]; cut: Cut }> {
  let points: Point[] = [];
  let read = 0;
  for await (const batch of batches) {
    points.push(...batch);
    read += batch.length;
    if (read >= kMostRead) return { points: points.slice(-kMostPoints), cut: 'newest' };
    if (points.length > 2 * kMostPoints) points = points.slice(-kMostPoints);
  }
  return { points: points.slice(-kMostPoints), cut: read > kMostPoints ? 'oldest' : 'nothing' };
}

async function* pointsIn(trial: number, { name, agentId, gpuUuid }: Series, signal: AbortSignal): AsyncGenerator<Point[]> {
  const url = address('/api/v1/trials/{id}/profiler/metrics', { id: trial }, { 'labels.name': name, 'labels.agentId': agentId, 'labels.gpuUuid': gpuUuid });
  for await (const { batch } of messages<Schemas['v1GetTrialProfilerMetricsResponse']>(url, signal)) if (batch) yield pointsOf(batch);
}

export async function systemCharts(trial: number, signal: AbortSignal): Promise<Measured> {
  const began = performance.now();
  const series: Series[] = [];
  for await (const { labels = [] } of messages<Schemas['v1GetTrialProfilerAvailableSeriesResponse']>(address('/api/v1/trials/{id}/profiler/available_series', { id: trial }), signal)) {
    series.push(...labels);
  }
  const measured: [Series, Point[]][] = [];
  const cuts = new Set<Cut>();
  for (const one of series.slice(0, kMostSeries)) {
    const { points, cut } = await newestOf(pointsIn(trial, one, signal));
    measured.push([one, points]);
    cuts.add(cut);
  }
  return { charts: chartsOf(measured), series: series.length, cut: (['newest', 'oldest'] as const).find((cut) => cuts.has(cut)) ?? 'nothing', took: performance.now() - began };
}
