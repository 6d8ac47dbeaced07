import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { ask } from '../../../api/client';
import type { Experiment } from '../../../api/queries';
import { Frame } from '../../../components/Dialog';

export function LabelsDialog({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const id = experiment.id ?? 0;
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const change = useMutation({
    mutationFn: ({ label, isThere }: { label: string; isThere: boolean }) => ask(isThere ? 'put' : 'delete', '/api/v1/experiments/{id}/labels/{label}', { path: { id, label } }),
    onSuccess: async (_answer, { label, isThere }) => {
      if (isThere) setText((now) => (now.trim() === label ? '' : now));
      await Promise.all([queries.invalidateQueries({ queryKey: ['experiment', id] }), queries.invalidateQueries({ queryKey: ['experiments'] })]);
    },
  });
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) change.mutate({ label: text.trim(), isThere: true });
  };
  const labels = experiment.labels ?? [];
  return (
    <Frame title={`Labels of experiment ${id}`} isOpen isFirm isBusy={change.isPending} close={close}>
      {labels.length === 0 ? <p className="soft">It has no labels. They help to find what belongs together.</p> : (
        <ul className="rows">
          {labels.map((label) => (
            <li key={label}><span className="name">{label}</span><button className="button" disabled={change.isPending} aria-label={`Take away the label ${label}`} onClick={() => change.mutate({ label, isThere: false })}>Take away</button></li>
          ))}
        </ul>
      )}
      <form className="cluster" onSubmit={add}>
        <label><span className="hidden-label">New label</span><input className="input" placeholder="New label" value={text} onChange={(event) => setText(event.target.value)} /></label>
        <button className="button primary" disabled={change.isPending || !text.trim()}>Add</button>
        <button className="button" type="button" disabled={change.isPending} onClick={close}>Close</button>
      </form>
      {change.error && <p className="notice" role="alert">{change.error.message}</p>}
    </Frame>
  );
}
