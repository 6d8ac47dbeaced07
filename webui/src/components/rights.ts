import { useQuery } from '@tanstack/react-query';
import type { Rights } from '../api/sections';
import { rightsQuery } from '../api/sections';

// `owner`: whose it is; 'anybody' where everybody may who has no roles.
export interface Where { workspace?: number | undefined; owner?: number | 'anybody' | undefined }

// `permission`: its name without "PERMISSION_TYPE_".
export function may({ user, isAdmin, hasRoles, everywhere, within }: Rights, permission: string, { workspace, owner }: Where = {}): boolean {
  if (!hasRoles) return isAdmin || owner === 'anybody' || (owner !== undefined && owner === user);
  return everywhere.includes(permission) || (workspace !== undefined && within[workspace]?.includes(permission) === true);
}

// Whether there is a workspace in which one may do it; where there are no roles, everybody has one.
export function mayAnywhere({ hasRoles, everywhere, within }: Rights, permission: string): boolean {
  return !hasRoles || everywhere.includes(permission) || Object.values(within).some((list) => list.includes(permission));
}

// Undefined until it is known. It only chooses what is shown: the server decides.
export function useMay(permission: string, where: Where = {}): boolean | undefined {
  const { data } = useQuery(rightsQuery);
  return data && may(data, permission, where);
}
