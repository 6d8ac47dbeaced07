// A workspace and its projects.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { ask } from '../../api/client';
import type { Project, Workspace } from '../../api/sections';
import { projectsQuery, workspaceQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { DeleteByName } from '../../components/forms';
import { useMay } from '../../components/rights';
import { RelativeTime } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { isNumber } from '../../lib/numbers';
import { useLive } from '../../live/client';
import { Pin } from './Workspaces';
import { ProjectDialog, WorkspaceDialog } from './dialogs';

const kColumns: readonly Column<Project>[] = [
  { key: 'name', name: 'Project', width: 'minmax(200px, 1fr)', cell: ({ id, name, archived }) => <><Link to="/projects/$id" params={{ id: String(id) }} title={name}>{name}</Link>{archived && <span className="soft"> (archived)</span>}</> },
  { key: 'description', name: 'Description', width: 'minmax(200px, 2fr)', cell: ({ description }) => <span className="soft" title={description}>{description || '–'}</span> },
  { key: 'experiments', name: 'Experiments', width: '120px', isNumber: true, cell: ({ numExperiments }) => numExperiments },
  { key: 'active', name: 'Not over', width: '100px', isNumber: true, cell: ({ numActiveExperiments }) => numActiveExperiments },
  { key: 'last', name: 'Last started', width: '150px', cell: ({ lastExperimentStartedAt }) => <RelativeTime time={lastExperimentStartedAt} /> },
  { key: 'owner', name: 'Owner', width: '140px', cell: ({ username }) => username },
];

function Head({ workspace }: { workspace: Workspace }) {
  const { id = 0, name = '', archived, immutable, username, userId, defaultComputePool, defaultAuxPool, errorMessage } = workspace;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const where = { workspace: id, owner: userId };
  const mayChange = useMay('UPDATE_WORKSPACE', where) && !immutable;
  const mayDelete = useMay('DELETE_WORKSPACE', where) && !immutable;
  const [refusal, setRefusal] = useState<string>();
  const archive = useChange(() => (archived ? ask('post', '/api/v1/workspaces/{id}/unarchive', { path: { id } }) : ask('post', '/api/v1/workspaces/{id}/archive', { path: { id } })), [['workspaces']]);
  const remove = useChange(() => ask('delete', '/api/v1/workspaces/{id}', { path: { id } }), [['workspaces', 'all']], () => void navigate({ to: '/workspaces' }));
  return (
    <section className="card stack">
      <div className="spread">
        <div className="cluster"><Heading title={name} /><Pin workspace={workspace} tell={setRefusal} />{archived && <span className="badge calm">Archived</span>}</div>
        <div className="cluster">
          {mayChange && <button className="button" onClick={() => setAsked('edit')}>Change</button>}
          {mayChange && <button className="button" disabled={archive.isPending} onClick={() => archive.mutate()}>{archived ? 'Unarchive' : 'Archive'}</button>}
          {mayDelete && <button className="button danger" onClick={() => { remove.reset(); setAsked('delete'); }}>Delete</button>}
        </div>
      </div>
      {refusal && <p className="notice" role="alert">{refusal}</p>}
      {(archive.error?.message || errorMessage) && <p className="notice" role="alert">{archive.error?.message ?? errorMessage}</p>}
      <dl className="facts">
        <div><dt>Owner</dt><dd>{username}</dd></div>
        <div><dt>Pool for training</dt><dd>{defaultComputePool || 'the default'}</dd></div>
        <div><dt>Pool for tasks without slots</dt><dd>{defaultAuxPool || 'the default'}</dd></div>
      </dl>
      {asked === 'edit' && <WorkspaceDialog workspace={workspace} close={() => setAsked(undefined)} />}
      {asked === 'delete' && (
        <DeleteByName what={`workspace ${name}`} name={name} means="Its projects go with it, with their experiments, metrics, logs and checkpoints. This cannot be undone."
          isBusy={remove.isPending} error={remove.error?.message} close={() => setAsked(undefined)} act={() => remove.mutate()} />
      )}
    </section>
  );
}

function Projects({ workspace }: { workspace: Workspace }) {
  const id = workspace.id ?? 0;
  const [isNew, setNew] = useState(false);
  const query = useQuery(projectsQuery(id));
  const mayCreate = useMay('CREATE_PROJECT', { workspace: id, owner: 'anybody' }) && !workspace.archived && !workspace.immutable;
  return (
    <>
      <div className="spread"><h2>Projects</h2>{mayCreate && <button className="button primary" onClick={() => setNew(true)}>New project</button>}</div>
      <Loaded query={query} what="projects">
        {({ projects = [] }) => (projects.length > 0 ? <VirtualTable label="Projects" columns={kColumns} count={projects.length} rowAt={(index) => projects[index]} rowKey={({ id = 0 }) => id} />
          : <div className="card"><Empty title="No projects yet">A project holds experiments that belong together. Name it in a configuration: <code>project: NAME</code> with <code>workspace: {workspace.name}</code>.</Empty></div>)}
      </Loaded>
      {isNew && <ProjectDialog workspace={id} close={() => setNew(false)} />}
    </>
  );
}

export function WorkspacePage() {
  const { id } = useParams({ from: '/workspaces/$id' });
  return isNumber(id) ? <Known id={Number(id)} /> : <Empty isPage title="There is no such workspace">Workspaces have numbers, such as 2. <Link to="/workspaces">All workspaces</Link></Empty>;
}

function Known({ id }: { id: number }) {
  useLive('workspaces');
  const query = useQuery(workspaceQuery(id));
  return <Loaded query={query} what="the workspace" isPage>{({ workspace }) => workspace && <Fragment key={id}><Head workspace={workspace} /><Projects workspace={workspace} /></Fragment>}</Loaded>;
}
