// One metric of some trials, with how to draw it.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { curvesQuery } from '../api/queries';
import { Empty, Loaded } from '../components/states';
import { useInView } from '../lib/visible';
import { keyOf, useInterval, useLive } from '../live/client';
import { LazyPlot } from './LazyPlot';
import type { Curve, XAxis } from './curves';
import { curveOf, finite, hasNumber, nothingWords } from './curves';

// So many curves have fewer points each, and the server reads no more reports than those.
const kMany = 50;

export interface ChartLook { axis: XAxis; weight: number; isLog: boolean }

export function LookControls({ look, change }: { look: ChartLook; change: (look: ChartLook) => void }) {
  return (
    <div className="cluster">
      <label>Across <select className="input" value={look.axis} onChange={(event) => change({ ...look, axis: event.target.value as XAxis })}>
        <option value="batches">batches</option><option value="time">time</option></select></label>
      <label className="cluster">Smoothing <input type="range" min={0} max={0.99} step={0.01} value={look.weight} onChange={(event) => change({ ...look, weight: Number(event.target.value) })} /></label>
      <label className="cluster"><input type="checkbox" checked={look.isLog} onChange={(event) => change({ ...look, isLog: event.target.checked })} /> Logarithmic</label>
    </div>
  );
}

export function useLook() { return useState<ChartLook>({ axis: 'batches', weight: 0, isLog: false }); }

interface Props { topic: string | undefined; trialIds: number[]; metricId: string; look: ChartLook; isUnfinished: boolean; isLong?: boolean; nameOf?: (trial: number) => string }
// `topic`: whose changes make it old; none do where there is none. `isLong`: of so many reports that reading them all takes a while. `nameOf` must be the same function while it
// gives the same names.
export function MetricChart({ topic, trialIds, metricId, look, isUnfinished, isLong = false, nameOf }: Props) {
  useLive(...(topic ? [topic] : []));
  const isMany = trialIds.length > kMany;
  const name = metricId.slice(metricId.indexOf('.') + 1);
  // A trial may have dozens of charts: those that nobody sees are asked for when somebody scrolls to them.
  const place = useRef<HTMLDivElement>(null);
  const isInView = useInView(place);
  const asked = curvesQuery(keyOf(topic ?? 'over'), trialIds, metricId, isMany ? 100 : 1000, isMany || isLong);
  const query = useQuery({ ...asked, enabled: isInView && trialIds.length > 0, refetchInterval: useInterval(isUnfinished) });
  const curves = useMemo<Curve[]>(() => (query.data?.trials ?? []).flatMap(({ trial, metrics }) => (metrics ?? []).map(({ data }) => curveOf(
    nameOf ? nameOf(trial?.id ?? 0) : `Trial ${trial?.id}`,
    (data ?? []).filter(({ values }) => values?.[name] !== undefined).map(({ batches, time, values }) => ({ batches: batches ?? 0, time: time ?? '', value: finite(values?.[name]) })), look.axis,
  ))).filter(({ xs }) => xs.length > 0), [query.data, name, nameOf, look.axis]);
  const nothing = nothingWords(name, curves.length > 0, isUnfinished);
  return (
    <div className="stack" ref={place}>
      <Loaded query={query} what="curves">
        {() => (!hasNumber(curves) ? <Empty title={nothing.title}>{nothing.text}</Empty>
          : <LazyPlot label={metricId} curves={curves} {...look} />)}
      </Loaded>
    </div>
  );
}
