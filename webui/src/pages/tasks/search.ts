// The state of the list of tasks as it stands in the address. `tensorboard`: its dialog is open, for these experiments.
import type { Kind } from './tasks';

export interface TasksSearch { kind?: Kind | undefined; mine?: boolean | undefined; ended?: boolean | undefined; tensorboard?: string | undefined }
const kKinds: readonly Kind[] = ['notebook', 'shell', 'command', 'tensorboard', 'generic'];

export function readTasksSearch({ kind, mine, ended, tensorboard }: Record<string, unknown>): TasksSearch {
  const known = kKinds.find((one) => one === kind);
  return {
    ...(known && { kind: known }), ...(mine === true && { mine }), ...(ended === true && { ended }),
    ...((typeof tensorboard === 'string' || typeof tensorboard === 'number') && /^[\d, ]*$/.test(String(tensorboard)) && { tensorboard: String(tensorboard) }),
  };
}
