import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { Experiment } from '../../api/queries';
import { rightsQuery } from '../../api/sections';
import { ChangedSince } from '../../components/ChangedSince';
import { mayDo } from '../../components/rights';
import { Empty } from '../../components/states';
import { useDraft } from '../../lib/draft';
import { Markdown } from '../../lib/markdown';

export function Notes({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const queries = useQueryClient();
  const mayWrite = mayDo(useQuery(rightsQuery).data, 'notes', experiment);
  const { draft, isChanged, write, drop } = useDraft(`notes of experiment ${id}`, experiment.notes ?? '');
  const keep = useMutation({
    mutationFn: (notes: string) => ask('patch', '/api/v1/experiments/{id}', { path: { id }, body: { notes } }),
    onSuccess: async (_answer, notes) => { await queries.invalidateQueries({ queryKey: ['experiment', id] }); drop(notes); },
  });
  if (draft === undefined || !mayWrite) {
    return (
      <section className="card stack">
        {experiment.notes ? <Markdown text={experiment.notes} /> : <Empty title="No notes yet">Write down what you tried and what came of it.</Empty>}
        {mayWrite && <div><button className="button" onClick={() => write(experiment.notes ?? '')}>{experiment.notes ? 'Edit' : 'Write notes'}</button></div>}
      </section>
    );
  }
  return (
    <section className="card stack">
      {isChanged && <ChangedSince what="these notes" saved={experiment.notes ?? ''} />}
      <label className="field">Notes, in Markdown<textarea className="input" rows={14} value={draft} onChange={(event) => write(event.target.value)} /></label>
      {keep.error && <p className="notice" role="alert">{keep.error.message}</p>}
      <div className="cluster">
        <button className="button primary" disabled={keep.isPending} onClick={() => keep.mutate(draft)}>Save</button>
        <button className="button" onClick={() => drop()}>Do not save</button>
      </div>
    </section>
  );
}
