// What the harness's profiler measured of the machines: a chart for each measure, with a curve for each node and device.
import { address } from '../../../api/client';
import type { Schemas } from '../../../api/client';
import { messages } from '../../../api/stream';
import type { Curve, Point } from '../../../charts/curves';
import { curveOf, finite } from '../../../charts/curves';

export type Series = Schemas['v1ProfilerLabels'];
export interface Chart { name: string; curves: Curve[] }
const kMostSeries = 100;
const kMostPoints = 20_000;  // of one series

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

export async function systemCharts(trial: number, signal: AbortSignal): Promise<Chart[]> {
  const series: Series[] = [];
  for await (const { labels = [] } of messages<Schemas['v1GetTrialProfilerAvailableSeriesResponse']>(address('/api/v1/trials/{id}/profiler/available_series', { id: trial }), signal)) {
    series.push(...labels);
  }
  const read = async (one: Series) => {
    const points: Point[] = [];
    const query = { 'labels.name': one.name, 'labels.agentId': one.agentId, 'labels.gpuUuid': one.gpuUuid };
    for await (const { batch } of messages<Schemas['v1GetTrialProfilerMetricsResponse']>(address('/api/v1/trials/{id}/profiler/metrics', { id: trial }, query), signal)) {
      if (batch) points.push(...pointsOf(batch));
      if (points.length >= kMostPoints) break;
    }
    return [one, points] as const;
  };
  const measured = [];
  for (const one of series.slice(0, kMostSeries)) measured.push(await read(one));
  return chartsOf(measured);
}
