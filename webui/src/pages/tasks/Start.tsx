// The dialogs that start a notebook or a TensorBoard.
import { useState } from 'react';
import { ask } from '../../api/client';
import { PoolChoice, TemplateChoice, WorkspaceChoice } from '../../components/choices';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { configOf } from './config';
import { idsOf } from './tasks';

const kOld = [['tasks'], ['queue']];

function Common({ slots }: { slots?: number }) {
  return (
    <>
      <Field label="Name"><input className="input" name="name" maxLength={200} placeholder="What it is for" autoComplete="off" /></Field>
      <div className="form-grid">
        <WorkspaceChoice />
        <TemplateChoice />
        <PoolChoice />
        {slots !== undefined && <Field label="Slots" hint="0: without an accelerator"><input className="input" name="slots" type="number" min={0} max={1024} defaultValue={slots} /></Field>}
        <Field label="Ends when idle for" hint="Such as 30m or 8h"><input className="input" name="idle" autoComplete="off" pattern="(\d+(\.\d+)?(s|m|h))+" /></Field>
      </div>
      <details>
        <summary>More of its configuration</summary>
        <Field label="YAML" hint="Wins over the fields above."><textarea className="input" name="more" rows={5} spellCheck="false" placeholder={'environment:\n  image: my/image'} /></Field>
      </details>
    </>
  );
}

export function StartNotebook({ close }: { close: () => void }) {
  const start = useChange(async (form: FormData) => ask('post', '/api/v1/notebooks', {
    body: { config: await configOf(form), workspaceId: Number(form.get('workspaceId')), ...(textOf(form, 'template') && { templateName: textOf(form, 'template') }) },
  }), kOld, close);
  return (
    <FormDialog title="Start a notebook" verb="Start" isBusy={start.isPending} error={start.error?.message} close={close} submit={start.mutate}>
      <p className="soft">JupyterLab on the cluster. Files are gone when it ends, unless its template or configuration mounts a folder.</p>
      <Common slots={0} />
    </FormDialog>
  );
}

export function StartTensorBoard({ experiments, close }: { experiments: string; close: () => void }) {
  const [wrong, setWrong] = useState<string>();
  const start = useChange(async (form: FormData) => ask('post', '/api/v1/tensorboards', {
    body: {
      config: await configOf(form), workspaceId: Number(form.get('workspaceId')), experimentIds: idsOf(textOf(form, 'experiments')) ?? [], trialIds: idsOf(textOf(form, 'trials')) ?? [],
      ...(textOf(form, 'template') && { templateName: textOf(form, 'template') }),
    },
  }), kOld, close);
  const submit = (form: FormData) => {
    const both = [idsOf(textOf(form, 'experiments')), idsOf(textOf(form, 'trials'))];
    if (both.includes(undefined)) return setWrong('Numbers with commas between them, such as 3, 5.');
    if (both.every((ids) => ids?.length === 0)) return setWrong('Name at least one experiment or trial.');
    setWrong(undefined);
    start.mutate(form);
  };
  return (
    <FormDialog title="Start a TensorBoard" verb="Start" isBusy={start.isPending} error={wrong ?? start.error?.message} close={close} submit={submit}>
      <p className="soft">It shows what the training of these wrote for TensorBoard.</p>
      <div className="form-grid">
        <Field label="Experiments" hint="Numbers, such as 3, 5"><input className="input" name="experiments" inputMode="numeric" defaultValue={experiments} autoComplete="off" /></Field>
        <Field label="Trials" hint="In place of whole experiments"><input className="input" name="trials" inputMode="numeric" autoComplete="off" /></Field>
      </div>
      <Common />
    </FormDialog>
  );
}
