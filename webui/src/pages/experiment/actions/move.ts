import type { Workspace } from '../../../api/sections';

// To which an experiment can be moved. The one that it is in is chosen at first, so it is among them even when it is archived.
export const workspacesTo = (all: readonly Workspace[], current: number | undefined): Workspace[] => all.filter(({ id, archived }) => !archived || id === current);
