import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Experiment } from '../../api/queries';
import { rightsQuery } from '../../api/sections';
import { mayDo } from '../../components/rights';
import { Empty } from '../../components/states';
import { Markdown } from '../../lib/markdown';

export function Notes({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const queries = useQueryClient();
  const mayWrite = mayDo(useQuery(rightsQuery).data, 'notes', experiment);
  const [draft, setDraft] = useState<string>();
  const keep = useMutation({
    mutationFn: (notes: string) => ask('patch', '/api/v1/experiments/{id}', { path: { id }, body: { notes } }),
    onSuccess: async () => { await queries.invalidateQueries({ queryKey: ['experiment', id] }); setDraft(undefined); },
  });
  if (draft === undefined) {
    return (
      <section className="card stack">
        {experiment.notes ? <Markdown text={experiment.notes} /> : <Empty title="No notes yet">Write down what you tried and what came of it.</Empty>}
        {mayWrite && <div><button className="button" onClick={() => setDraft(experiment.notes ?? '')}>{experiment.notes ? 'Edit' : 'Write notes'}</button></div>}
      </section>
    );
  }
  return (
    <section className="card stack">
      <label className="field">Notes, in Markdown<textarea className="input" rows={14} value={draft} onChange={(event) => setDraft(event.target.value)} /></label>
      {keep.error && <p className="notice" role="alert">{keep.error.message}</p>}
      <div className="cluster">
        <button className="button primary" disabled={keep.isPending} onClick={() => keep.mutate(draft)}>Save</button>
        <button className="button" onClick={() => setDraft(undefined)}>Do not save</button>
      </div>
    </section>
  );
}
