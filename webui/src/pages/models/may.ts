// What one may with a model. Without roles a registry is a team's: everybody registers versions and edits, and owners delete.
import type { Model, ModelVersion, Rights } from '../../api/sections';
import { may } from '../../components/rights';

export const mayEdit = (rights: Rights | undefined, { workspaceId: workspace }: Model): boolean => rights !== undefined && may(rights, 'EDIT_MODEL_REGISTRY', { workspace, owner: 'anybody' });

export const mayDelete = (rights: Rights | undefined, { workspaceId: workspace, userId: owner }: Model): boolean => rights !== undefined && may(rights, 'DELETE_MODEL_REGISTRY', { workspace, owner });

// Of a version both its owner and the model's are owners; with roles a version of others takes one permission more.
export function mayDeleteVersion(rights: Rights | undefined, model: Model, version: ModelVersion): boolean {
  if (!rights) return false;
  const where = { workspace: model.workspaceId, owner: [version.userId, model.userId] };
  const isTheirs = where.owner.includes(rights.user);
  return may(rights, 'DELETE_MODEL_VERSION', where) && (isTheirs || may(rights, 'DELETE_OTHER_USER_MODEL_VERSION', where));
}
