// A model: its versions, notes and what is known of it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Model } from '../../api/sections';
import { modelQuery, rightsQuery, workspacesQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import { NotesEditor } from '../../components/NotesEditor';
import { useChange } from '../../components/change';
import { DeleteByName, Field, FormDialog, textOf } from '../../components/forms';
import { Labels, RelativeTime } from '../../components/small';
import { Loaded } from '../../components/states';
import { changedOf } from '../../lib/changed';
import { useLive } from '../../live/client';
import { Versions } from './Versions';
import { draftOf } from './draft-of';
import { labelsOf } from './labels';
import { mayDelete, mayEdit } from './may';

function Edit({ model: given, close }: { model: Model; close: () => void }) {
  // As it was when the dialog was opened: what differs from that was changed here, whatever others save meanwhile.
  const [model] = useState(given);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const keep = useChange((form: FormData) => {
    const labels = labelsOf(textOf(form, 'labels'));
    const now = { name: textOf(form, 'name'), description: textOf(form, 'description'), labels };
    return ask('patch', '/api/v1/models/{name}', { path: { name: model.name ?? '' }, body: changedOf(model, now) });
  }, [['models', 'list']], ({ model: kept }) => {
    close();
    // With another name it is another place, which is asked for; the former is there no more.
    if (kept?.name === model.name) void queries.invalidateQueries({ queryKey: ['models', 'one', model.name] });
    void navigate({ to: '/models/$name', params: { name: kept?.name ?? '' }, replace: true });
  });
  return (
    <FormDialog title={`Change ${model.name}`} verb="Save" isBusy={keep.isPending} error={keep.error?.message} close={close} submit={keep.mutate}>
      <Field label="Name"><input className="input" name="name" required maxLength={256} defaultValue={model.name} autoComplete="off" /></Field>
      <Field label="Description"><textarea className="input" name="description" rows={3} defaultValue={model.description} /></Field>
      <Field label="Labels" hint="With commas between"><input className="input" name="labels" defaultValue={model.labels?.join(', ')} autoComplete="off" /></Field>
    </FormDialog>
  );
}

function Shown({ model }: { model: Model }) {
  const { name = '', description, labels = [], archived, username, workspaceId, creationTime, lastUpdatedTime, notes = '', metadata } = model;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const workspace = useQuery(workspacesQuery).data?.workspaces?.find(({ id }) => id === workspaceId)?.name;
  const rights = useQuery(rightsQuery).data;
  const mayChange = mayEdit(rights, model);
  const archive = useChange(() => (archived ? ask('post', '/api/v1/models/{name}/unarchive', { path: { name } }) : ask('post', '/api/v1/models/{name}/archive', { path: { name } })), [['models']]);
  const keep = useChange((text: string) => ask('patch', '/api/v1/models/{name}', { path: { name }, body: { notes: text } }), [['models']]);
  const remove = useChange(() => ask('delete', '/api/v1/models/{name}', { path: { name } }), [['models', 'list']], () => void navigate({ to: '/models' }));
  const facts = Object.entries(metadata ?? {}).slice(0, 50);
  return (
    <>
      <section className="card stack">
        <div className="spread">
          <div className="cluster"><Heading title={name} />{archived && <span className="badge calm">Archived</span>}<Labels labels={labels} /></div>
          <div className="cluster">
            {mayChange && <button className="button" onClick={() => setAsked('edit')}>Change</button>}
            {mayChange && <button className="button" disabled={archive.isPending} onClick={() => archive.mutate()}>{archived ? 'Unarchive' : 'Archive'}</button>}
            {mayDelete(rights, model) && <button className="button danger" onClick={() => { remove.reset(); setAsked('delete'); }}>Delete</button>}
          </div>
        </div>
        {description && <p className="soft break">{description}</p>}
        {archive.error && <p className="notice" role="alert">{archive.error.message}</p>}
        <dl className="facts">
          <div><dt>Owner</dt><dd>{username}</dd></div>
          <div><dt>Workspace</dt><dd><Link to="/workspaces/$id" params={{ id: String(workspaceId) }}>{workspace ?? workspaceId}</Link></dd></div>
          <div><dt>Created</dt><dd><RelativeTime time={creationTime} /></dd></div>
          <div><dt>Changed</dt><dd><RelativeTime time={lastUpdatedTime} /></dd></div>
          {facts.map(([key, value]) => <div key={key}><dt>{key}</dt><dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd></div>)}
        </dl>
      </section>
      <Versions model={model} mayChange={mayChange} />
      <section className="card stack" aria-label="Notes">
        <h2>Notes</h2>
        <NotesEditor text={notes} draftOf={draftOf(model)}
          hint="Write down what the model is for, and how it was trained." isBusy={keep.isPending}
          error={keep.error?.message} mayChange={mayChange} save={keep.mutateAsync} />
      </section>
      {asked === 'edit' && <Edit model={model} close={() => setAsked(undefined)} />}
      {asked === 'delete' && (
        <DeleteByName what={`model ${name}`} name={name} means="It goes with its versions. The checkpoints stay, until their experiments' policies remove them. This cannot be undone."
          isBusy={remove.isPending} error={remove.error?.message} close={() => setAsked(undefined)} act={() => remove.mutate()} />
      )}
    </>
  );
}

export function ModelPage() {
  useLive('models');
  const { name } = useParams({ from: '/models/$name' });
  const query = useQuery(modelQuery(name));
  return <Loaded query={query} what="the model" isPage>{({ model }) => model && <Shown key={name} model={model} />}</Loaded>;
}
