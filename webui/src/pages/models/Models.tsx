// The registry of models.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ask } from '../../api/client';
import type { Model } from '../../api/sections';
import { modelsQuery, rightsQuery, workspacesQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { WorkspaceChoice } from '../../components/choices';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { mayAnywhere } from '../../components/rights';
import { Labels, RelativeTime } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { useField } from '../../lib/field';
import { startHere } from '../../lib/focus';
import { useLive } from '../../live/client';
import { hasLabel, labelsOf } from './labels';

function NewModel({ close }: { close: () => void }) {
  const create = useChange((form: FormData) => ask('post', '/api/v1/models', {
    body: { name: textOf(form, 'name'), description: textOf(form, 'description'), labels: labelsOf(textOf(form, 'labels')), workspaceId: Number(form.get('workspaceId')) },
  }), [['models']], close);
  return (
    <FormDialog title="New model" verb="Create" isBusy={create.isPending} error={create.error?.message} close={close} submit={create.mutate}>
      <p className="soft">A name under which you keep the checkpoints that are worth keeping, version by version.</p>
      <Field label="Name"><input className="input" name="name" required maxLength={256} autoComplete="off" ref={startHere} /></Field>
      <Field label="Description"><textarea className="input" name="description" rows={3} /></Field>
      <div className="form-grid">
        <WorkspaceChoice />
        <Field label="Labels" hint="With commas between"><input className="input" name="labels" autoComplete="off" /></Field>
      </div>
    </FormDialog>
  );
}

export function Models() {
  useLive('models');
  const search = useSearch({ from: '/models' });
  const navigate = useNavigate({ from: '/models' });
  const change = (part: typeof search) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [text, setText] = useField(search.q ?? '', (q) => change({ q: q || undefined }));
  const [isNew, setNew] = useState(false);
  const query = useQuery(modelsQuery(search.q ?? '', search.archived === true));
  const workspaces = useQuery(workspacesQuery).data?.workspaces;
  const names = useMemo(() => new Map((workspaces ?? []).map(({ id, name }) => [id ?? 0, name ?? ''])), [workspaces]);
  const rights = useQuery(rightsQuery).data;
  const mayCreate = rights && mayAnywhere(rights, 'CREATE_MODEL_REGISTRY');
  const columns: readonly Column<Model>[] = [
    { key: 'name', name: 'Name', width: 'minmax(200px, 1fr)', cell: ({ name = '', archived }) => <><Link to="/models/$name" params={{ name }} title={name}>{name}</Link>{archived && <span className="soft"> (archived)</span>}</> },
    { key: 'description', name: 'Description', width: 'minmax(200px, 2fr)', cell: ({ description }) => <span className="soft" title={description}>{description || '–'}</span> },
    { key: 'versions', name: 'Versions', width: '100px', isNumber: true, cell: ({ numVersions }) => numVersions },
    { key: 'labels', name: 'Labels', width: 'minmax(140px, 1fr)', cell: ({ labels }) => <Labels labels={labels ?? []} /> },
    { key: 'workspace', name: 'Workspace', width: '150px', cell: ({ workspaceId = 0 }) => <Link to="/workspaces/$id" params={{ id: String(workspaceId) }}>{names.get(workspaceId) ?? workspaceId}</Link> },
    { key: 'owner', name: 'Owner', width: '130px', cell: ({ username }) => username },
    { key: 'changed', name: 'Changed', width: '140px', cell: ({ lastUpdatedTime }) => <RelativeTime time={lastUpdatedTime} /> },
  ];
  const label = search.label ?? '';
  const labels = [...new Set((query.data?.models ?? []).flatMap((model) => model.labels ?? []))].sort();
  return (
    <>
      <div className="spread"><Heading title="Models" />{mayCreate && <button className="button primary" onClick={() => setNew(true)}>New model</button>}</div>
      <div className="cluster" role="search">
        <label><span className="hidden-label">Search names</span><input className="input" type="search" placeholder="Name" value={text} onChange={(event) => setText(event.target.value)} /></label>
        <select className="input narrow" aria-label="Label" value={label} onChange={(event) => change({ label: event.target.value || undefined })}>
          <option value="">Any label</option>
          {[...new Set([...labels, ...(label ? [label] : [])])].map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
        <label className="cluster"><input type="checkbox" checked={search.archived === true} onChange={(event) => change({ archived: event.target.checked || undefined })} /> Archived too</label>
      </div>
      <Loaded query={query} what="models">
        {({ models = [] }) => {
          const shown = models.filter((model) => hasLabel(model.labels, label));
          return shown.length > 0 ? <VirtualTable label="Models" columns={columns} count={shown.length} rowAt={(index) => shown[index]} rowKey={({ id = 0 }) => id} />
            : <div className="card"><Empty title="No model is like that">{search.q || label ? 'Change the search.' : 'A model keeps the checkpoints that are worth keeping, version by version.'}</Empty></div>;
        }}
      </Loaded>
      {isNew && <NewModel close={() => setNew(false)} />}
    </>
  );
}
