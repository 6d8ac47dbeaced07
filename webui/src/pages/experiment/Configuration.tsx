// The configuration: as it was handed in, and with everything that was filled in.
import { Suspense, lazy, useState } from 'react';
import type { Experiment } from '../../api/queries';
import { Loading } from '../../components/states';

const Yaml = lazy(() => import('../../components/Yaml'));

export function Configuration({ experiment }: { experiment: Experiment }) {
  const [isOriginal, setOriginal] = useState(false);
  return (
    <section className="card stack">
      <div className="cluster" role="group" aria-label="Which configuration">
        <button className="button" aria-pressed={!isOriginal} onClick={() => setOriginal(false)}>Complete</button>
        <button className="button" aria-pressed={isOriginal} onClick={() => setOriginal(true)}>As handed in</button>
      </div>
      <Suspense fallback={<Loading what="the configuration" />}>
        <Yaml label="Configuration" value={isOriginal ? experiment.originalConfig ?? '' : experiment.config} />
      </Suspense>
    </section>
  );
}
