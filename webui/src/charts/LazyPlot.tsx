// The chart, whose chunk comes while its points are asked for: lazy() would ask for it when it is first drawn, which is later.
import type { ComponentProps } from 'react';
import { useEffect, useState } from 'react';
import { Loading } from '../components/states';
import type Plot from './Plot';

type Outcome = { Plot: typeof Plot } | { error: unknown };
let outcome: Outcome | undefined;
const coming = import('./Plot').then((module): Outcome => ({ Plot: module.default }), (error: unknown): Outcome => ({ error })).then((one) => (outcome = one));

export function LazyPlot(props: ComponentProps<typeof Plot>) {
  const [known, setKnown] = useState(outcome);
  useEffect(() => { if (!known) void coming.then(setKnown); }, [known]);
  if (!known) return <Loading what="the chart" />;
  if ('error' in known) throw known.error;
  return <known.Plot {...props} />;
}
