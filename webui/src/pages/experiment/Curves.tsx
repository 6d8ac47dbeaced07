// One metric of all trials of an experiment; a part that is zoomed into is asked for anew, with more points. Made anew for another metric or axis.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { experimentCurvesQuery } from '../../api/queries';
import { LazyPlot } from '../../charts/LazyPlot';
import type { ChartLook } from '../../charts/MetricChart';
import type { Zoom } from '../../charts/Plot';
import type { Curve } from '../../charts/curves';
import { finite, hasNumber, nothingWords } from '../../charts/curves';
import { Empty, Loaded } from '../../components/states';
import { useInterval, useLive } from '../../live/client';
import { askedPart } from './part';

interface Props { experiment: number; metricId: string; look: ChartLook; isUnfinished: boolean }
export function Curves({ experiment, metricId, look, isUnfinished }: Props) {
  useLive(`experiment:${experiment}`);
  const [zoom, setZoom] = useState<Zoom>();
  // The server knows reports by batches.
  const part = look.axis === 'batches' ? askedPart(zoom) : undefined;
  const query = useQuery({ ...experimentCurvesQuery(experiment, metricId, look.axis, part), placeholderData: keepPreviousData, refetchInterval: useInterval(isUnfinished) });
  const curves = useMemo<Curve[]>(() => (query.data?.curves ?? []).map(({ trialId, x = [], y = [] }) => ({ name: `Trial ${trialId}`, xs: x, ys: y.map(finite) })), [query.data]);
  // Metrics that are offered here were reported.
  const nothing = nothingWords(metricId, true, isUnfinished);
  return (
    <Loaded query={query} what="curves">
      {({ totalTrials = 0 }) => (!hasNumber(curves) && !part ? <Empty title={nothing.title}>{nothing.text}</Empty> : (
        <>
          {totalTrials > kMostTrials && <p className="soft">The newest {kMostTrials} of {totalTrials} trials.</p>}
          <LazyPlot label={metricId} curves={curves} {...look} onZoom={setZoom} />
        </>
      ))}
    </Loaded>
  );
}

const kMostTrials = 500;  // that the server gives
