// The dialogs that make and change workspaces and projects.
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Project, Workspace } from '../../api/sections';
import { PoolChoice, WorkspaceChoice } from '../../components/choices';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { changedOf } from '../../lib/changed';
import { startHere } from '../../lib/focus';

const kOld = [['workspaces']];

export function WorkspaceDialog({ workspace: given, close }: { workspace?: Workspace; close: () => void }) {
  // As it was when the dialog was opened: what differs from that was changed here, whatever others save meanwhile.
  const [workspace] = useState(given);
  const keep = useChange(async (form: FormData): Promise<unknown> => {
    const name = textOf(form, 'name');
    const [compute, aux] = [textOf(form, 'compute'), textOf(form, 'aux')];
    if (!workspace) return ask('post', '/api/v1/workspaces', { body: { name, ...(compute && { defaultComputePool: compute }), ...(aux && { defaultAuxPool: aux }) } });
    // In a change the pools have other names.
    const { defaultComputePool: defaultComputeResourcePool, defaultAuxPool: defaultAuxResourcePool } = workspace;
    const before = { name: workspace.name, defaultComputeResourcePool, defaultAuxResourcePool };
    const now = { name, defaultComputeResourcePool: compute, defaultAuxResourcePool: aux };
    return ask('patch', '/api/v1/workspaces/{id}', { path: { id: workspace.id ?? 0 }, body: changedOf(before, now) });
  }, kOld, close);
  return (
    <FormDialog title={workspace ? `Change workspace ${workspace.name}` : 'New workspace'} verb={workspace ? 'Save' : 'Create'} isBusy={keep.isPending} error={keep.error?.message} close={close} submit={keep.mutate}>
      {!workspace && <p className="soft">A room for a team: its projects, tasks, models and templates.</p>}
      <Field label="Name"><input className="input" name="name" required maxLength={80} defaultValue={workspace?.name} autoComplete="off" ref={startHere} /></Field>
      <div className="form-grid">
        <PoolChoice name="compute" label="Pool for training" none="The server's default" chosen={workspace?.defaultComputePool ?? ''} />
        <PoolChoice name="aux" label="Pool for tasks without slots" none="The server's default" chosen={workspace?.defaultAuxPool ?? ''} />
      </div>
    </FormDialog>
  );
}

interface ProjectProps { workspace: number; project?: Project; close: () => void }
export function ProjectDialog({ workspace, project: given, close }: ProjectProps) {
  const [project] = useState(given);
  const keep = useChange(async (form: FormData): Promise<unknown> => {
    const body = { name: textOf(form, 'name'), description: textOf(form, 'description') };
    if (!project) return ask('post', '/api/v1/workspaces/{id}/projects', { path: { id: workspace }, body });
    return ask('patch', '/api/v1/projects/{id}', { path: { id: project.id ?? 0 }, body: changedOf(project, body) });
  }, kOld, close);
  return (
    <FormDialog title={project ? `Change project ${project.name}` : 'New project'} verb={project ? 'Save' : 'Create'} isBusy={keep.isPending} error={keep.error?.message} close={close} submit={keep.mutate}>
      <Field label="Name"><input className="input" name="name" required maxLength={255} defaultValue={project?.name} autoComplete="off" ref={startHere} /></Field>
      <Field label="Description"><textarea className="input" name="description" rows={3} defaultValue={project?.description} /></Field>
    </FormDialog>
  );
}

export function MoveProject({ project, close }: { project: Project; close: () => void }) {
  const id = project.id ?? 0;
  const move = useChange((form: FormData) => ask('post', '/api/v1/projects/{id}/move', { path: { id }, body: { projectId: id, destinationWorkspaceId: Number(form.get('workspaceId')) } }), kOld, close);
  return (
    <FormDialog title={`Move project ${project.name}`} verb="Move" isBusy={move.isPending} error={move.error?.message} close={close} submit={move.mutate}>
      <p className="soft">Its experiments go with it. Who may see and change them follows from the other workspace.</p>
      <WorkspaceChoice label="To workspace" {...(project.workspaceId !== undefined && { chosen: project.workspaceId })} />
    </FormDialog>
  );
}
