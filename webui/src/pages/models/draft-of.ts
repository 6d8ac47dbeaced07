// Whose notes a draft is of. By the number of the model: its name may change while somebody writes.
import type { Model, ModelVersion } from '../../api/sections';

export const draftOf = ({ id = 0 }: Model, version?: ModelVersion) =>
  `${version ? `version ${version.version} of ` : ''}model number ${id}`;
