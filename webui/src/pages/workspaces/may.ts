// What one may with a project. Without roles the workspace's owner may what the project's may, but moves only their own.
import type { Project, Rights } from '../../api/sections';
import { may } from '../../components/rights';

export interface ProjectRights { change: boolean; move: boolean; remove: boolean }
// `workspaceOwner`: undefined until it is known.
export function mayWithProject(rights: Rights | undefined, { workspaceId: workspace, userId, immutable }: Project, workspaceOwner: number | undefined): ProjectRights {
  if (!rights || immutable) return { change: false, move: false, remove: false };
  const owner = [userId, workspaceOwner];
  return { change: may(rights, 'UPDATE_PROJECT', { workspace, owner }), move: may(rights, 'DELETE_PROJECT', { workspace, owner: userId }), remove: may(rights, 'DELETE_PROJECT', { workspace, owner }) };
}
