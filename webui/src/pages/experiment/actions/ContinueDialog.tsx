import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useState } from 'react';
import { ask } from '../../../api/client';
import type { Experiment } from '../../../api/queries';
import { Frame } from '../../../components/Dialog';
import { Loading } from '../../../components/states';
import { useDraft } from '../../../lib/draft';

const Editor = lazy(() => import('../../../components/Editor'));

// An experiment that has ended goes on under its number, also with some of its configuration changed.
export function ContinueDialog({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const id = experiment.id ?? 0;
  const queries = useQueryClient();
  const { draft: change = '', write, drop } = useDraft(`continue experiment ${id}`, '');
  const [first] = useState(change || '\n');  // what the editor begins with
  const go = useMutation({
    mutationFn: () => ask('post', '/api/v1/experiments/continue', { body: { id, ...(change.trim() && { overrideConfig: change }) } }),
    onSuccess: async () => { drop(); await queries.invalidateQueries({ queryKey: ['experiment', id] }); close(); },
  });
  return (
    <Frame title={`Continue experiment ${id}`} isOpen isFirm isBusy={go.isPending} close={close} isWide>
      <p>Its trials that did not complete go on from their last checkpoints. A search begins again, and what completed is not repeated. To change something, write only that, for example{' '}
        <code>max_restarts: 5</code>. Of a search only little can be changed; the server says what.</p>
      <Suspense fallback={<Loading what="the editor" />}><Editor text={first} label="Changes to the configuration, as YAML" language="yaml" onChange={write} isHeld={go.isPending} /></Suspense>
      {go.error && <p className="notice" role="alert">{go.error.message}</p>}
      <div className="cluster">
        <button className="button primary" disabled={go.isPending} onClick={() => go.mutate()}>{go.isPending ? 'Working …' : 'Continue'}</button>
        <button className="button" disabled={go.isPending} onClick={close}>Close</button>
      </div>
    </Frame>
  );
}
