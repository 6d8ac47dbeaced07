import { useQuery } from '@tanstack/react-query';
import type { Rights } from '../api/sections';
import { rightsQuery } from '../api/sections';
import type { Action } from '../lib/state';

// `owner`: whose it is, also several of whom each may; 'anybody' where everybody may who has no roles.
export interface Where { workspace?: number | undefined; owner?: number | 'anybody' | readonly (number | undefined)[] | undefined }

// `permission`: its name without "PERMISSION_TYPE_".
export function may({ user, isAdmin, hasRoles, everywhere, within }: Rights, permission: string, { workspace, owner }: Where = {}): boolean {
  if (!hasRoles) return isAdmin || owner === 'anybody' || (Array.isArray(owner) ? owner.includes(user) : owner === user);
  return everywhere.includes(permission) || (workspace !== undefined && within[workspace]?.includes(permission) === true);
}

// Whether there is a workspace in which one may do it; where there are no roles, everybody has one.
export function mayAnywhere({ hasRoles, everywhere, within }: Rights, permission: string): boolean {
  return !hasRoles || everywhere.includes(permission) || Object.values(within).some((list) => list.includes(permission));
}

// What is done with an experiment, by what it needs.
export type Deed = Action | 'fork' | 'continue' | 'labels' | 'notes' | 'move' | 'delete-checkpoint';
const kNeeds: Record<Deed, string> = {
  pause: 'UPDATE_EXPERIMENT', activate: 'UPDATE_EXPERIMENT', cancel: 'UPDATE_EXPERIMENT', kill: 'UPDATE_EXPERIMENT', continue: 'UPDATE_EXPERIMENT', 'delete-checkpoint': 'UPDATE_EXPERIMENT',
  archive: 'UPDATE_EXPERIMENT_METADATA', unarchive: 'UPDATE_EXPERIMENT_METADATA', labels: 'UPDATE_EXPERIMENT_METADATA', notes: 'UPDATE_EXPERIMENT_METADATA',
  fork: 'CREATE_EXPERIMENT', delete: 'DELETE_EXPERIMENT', move: 'DELETE_EXPERIMENT',
};
const kOwners: readonly Deed[] = ['delete', 'move', 'delete-checkpoint'];  // for owners and administrators, where there are no roles

// False until the rights are known.
export function mayDo(rights: Rights | undefined, deed: Deed, { workspaceId, userId }: { workspaceId?: number | undefined; userId?: number | undefined }): boolean {
  return rights !== undefined && may(rights, kNeeds[deed], { workspace: workspaceId, owner: kOwners.includes(deed) ? userId : 'anybody' });
}
// Of experiments anywhere: of each of them the server decides.
export const mayDoAnywhere = (rights: Rights | undefined, deed: Deed): boolean => rights !== undefined && mayAnywhere(rights, kNeeds[deed]);

// Undefined until it is known. It only chooses what is shown: the server decides.
export function useMay(permission: string, where: Where = {}): boolean | undefined {
  const { data } = useQuery(rightsQuery);
  return data && may(data, permission, where);
}
