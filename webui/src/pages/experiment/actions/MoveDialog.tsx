import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../../api/client';
import type { Experiment } from '../../../api/queries';
import { workspacesQuery } from '../../../api/sections';
import { Frame } from '../../../components/Dialog';
import { Loaded } from '../../../components/states';
import { workspacesTo } from './move';

export function MoveDialog({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const id = experiment.id ?? 0;
  const queries = useQueryClient();
  const [workspace, setWorkspace] = useState(experiment.workspaceId ?? 1);
  const [project, setProject] = useState<number>();
  const workspaces = useQuery(workspacesQuery);
  const projects = useQuery({ queryKey: ['workspaces', workspace, 'projects'], queryFn: ({ signal }) => ask('get', '/api/v1/workspaces/{id}/projects', { path: { id: workspace }, query: { archived: false }, signal }) });
  const move = useMutation({
    mutationFn: (destinationProjectId: number) => ask('post', '/api/v1/experiments/{id}/move', { path: { id }, body: { destinationProjectId } }),
    onSuccess: async () => { await Promise.all([queries.invalidateQueries({ queryKey: ['experiment', id] }), queries.invalidateQueries({ queryKey: ['experiments'] })]); close(); },
  });
  return (
    <Frame title={`Move experiment ${id}`} isOpen isBusy={move.isPending} close={close}>
      <p>It is in {experiment.workspaceName} / {experiment.projectName}. Who may see it follows from where it is.</p>
      <Loaded query={workspaces} what="the workspaces">
        {(found) => (
          <label className="field">Workspace<select className="input" value={workspace} onChange={(event) => { setWorkspace(Number(event.target.value)); setProject(undefined); }}>
            {workspacesTo(found.workspaces ?? [], experiment.workspaceId).map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}</select></label>
        )}
      </Loaded>
      <Loaded query={projects} what="the projects">
        {(found) => {
          const others = (found.projects ?? []).filter((one) => one.id !== experiment.projectId);
          if (others.length === 0) return <p className="soft">This workspace has no other project.</p>;
          return (
            <label className="field">Project<select className="input" value={project ?? ''} onChange={(event) => setProject(Number(event.target.value))}>
              <option value="" disabled>Choose a project</option>
              {others.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}</select></label>
          );
        }}
      </Loaded>
      {move.error && <p className="notice" role="alert">{move.error.message}</p>}
      <div className="cluster">
        <button className="button primary" disabled={move.isPending || project === undefined} onClick={() => project !== undefined && move.mutate(project)}>{move.isPending ? 'Working …' : 'Move'}</button>
        <button className="button" disabled={move.isPending} onClick={close}>Close</button>
      </div>
    </Frame>
  );
}
