// A project: its experiments and notes.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Project } from '../../api/sections';
import { projectQuery, rightsQuery, workspaceQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import { useChange } from '../../components/change';
import { DeleteByName } from '../../components/forms';
import { Empty, Loaded } from '../../components/states';
import { isNumber } from '../../lib/numbers';
import { useLive } from '../../live/client';
import { ProjectExperiments } from './ProjectExperiments';
import { ProjectNotes } from './ProjectNotes';
import { MoveProject, ProjectDialog } from './dialogs';
import type { ProjectRights } from './may';
import { mayWithProject } from './may';

function Head({ project, allowed }: { project: Project; allowed: ProjectRights }) {
  const { id = 0, name = '', description, archived, workspaceId = 0, workspaceName, username, numExperiments, key, errorMessage } = project;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'edit' | 'move' | 'delete'>();
  const archive = useChange(() => (archived ? ask('post', '/api/v1/projects/{id}/unarchive', { path: { id } }) : ask('post', '/api/v1/projects/{id}/archive', { path: { id } })), [['workspaces']]);
  const remove = useChange(() => ask('delete', '/api/v1/projects/{id}', { path: { id } }), [['workspaces', 'projects']], () => void navigate({ to: '/workspaces/$id', params: { id: String(workspaceId) } }));
  const close = () => setAsked(undefined);
  return (
    <section className="card stack">
      <p className="soft"><Link to="/workspaces">Workspaces</Link> / <Link to="/workspaces/$id" params={{ id: String(workspaceId) }}>{workspaceName}</Link></p>
      <div className="spread">
        <div className="cluster"><Heading title={name} />{archived && <span className="badge calm">Archived</span>}</div>
        <div className="cluster">
          {allowed.change && <button className="button" onClick={() => setAsked('edit')}>Change</button>}
          {allowed.move && <button className="button" onClick={() => setAsked('move')}>Move</button>}
          {allowed.change && <button className="button" disabled={archive.isPending} onClick={() => archive.mutate()}>{archived ? 'Unarchive' : 'Archive'}</button>}
          {allowed.remove && <button className="button danger" onClick={() => { remove.reset(); setAsked('delete'); }}>Delete</button>}
        </div>
      </div>
      {description && <p className="soft break">{description}</p>}
      {(archive.error?.message || errorMessage) && <p className="notice" role="alert">{archive.error?.message ?? errorMessage}</p>}
      <dl className="facts">
        <div><dt>Owner</dt><dd>{username}</dd></div>
        <div><dt>Key</dt><dd className="mono">{key}</dd></div>
        <div><dt>Experiments</dt><dd className="number">{numExperiments}</dd></div>
      </dl>
      {asked === 'edit' && <ProjectDialog workspace={workspaceId} project={project} close={close} />}
      {asked === 'move' && <MoveProject project={project} close={close} />}
      {asked === 'delete' && (
        <DeleteByName what={`project ${name}`} name={name} means="Its experiments go with it, with their metrics, logs and checkpoints. This cannot be undone."
          isBusy={remove.isPending} error={remove.error?.message} close={close} act={() => remove.mutate()} />
      )}
    </section>
  );
}

function Shown({ project }: { project: Project }) {
  const rights = useQuery(rightsQuery).data;
  const owner = useQuery(workspaceQuery(project.workspaceId ?? 0)).data?.workspace?.userId;
  const allowed = mayWithProject(rights, project, owner);
  return <><Head project={project} allowed={allowed} /><h2>Experiments</h2><ProjectExperiments project={project.id ?? 0} /><ProjectNotes project={project} mayChange={allowed.change} /></>;
}

export function ProjectPage() {
  const { id } = useParams({ from: '/projects/$id' });
  return isNumber(id) ? <Known id={Number(id)} /> : <Empty isPage title="There is no such project">Projects have numbers, such as 2. <Link to="/workspaces">All workspaces</Link></Empty>;
}

function Known({ id }: { id: number }) {
  useLive('workspaces');
  const query = useQuery(projectQuery(id));
  return <Loaded query={query} what="the project" isPage>{({ project }) => project && <Shown key={id} project={project} />}</Loaded>;
}
