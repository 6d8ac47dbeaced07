// What the states of experiments and trials mean for a reader.
export type Tone = 'good' | 'bad' | 'wait' | 'run' | 'calm';
const kWords: Record<string, [string, Tone]> = {
  ACTIVE: ['Active', 'run'], RUNNING: ['Running', 'run'], QUEUED: ['Waiting', 'wait'], PULLING: ['Pulling image', 'wait'], STARTING: ['Starting', 'wait'],
  PAUSED: ['Paused', 'calm'], COMPLETED: ['Completed', 'good'], CANCELED: ['Canceled', 'calm'], ERROR: ['Failed', 'bad'], DELETED: ['Deleted', 'calm'],
  DELETING: ['Being deleted', 'wait'], DELETE_FAILED: ['Deletion failed', 'bad'], PARTIALLY_DELETED: ['Partly deleted', 'calm'],
  PENDING: ['Waiting', 'wait'], WAITING: ['Getting ready', 'wait'], TERMINATING: ['Ending', 'wait'], TERMINATED: ['Ended', 'calm'],
  STOPPING_COMPLETED: ['Finishing', 'run'], STOPPING_CANCELED: ['Canceling', 'wait'], STOPPING_KILLED: ['Being killed', 'wait'], STOPPING_ERROR: ['Failing', 'bad'],
};
const bare = (state: string) => state.replace(/^STATE_/, '');

export const stateWords = (state: string): [string, Tone] => kWords[bare(state)] ?? [bare(state).toLowerCase(), 'calm'];
export const isOver = (state: string) => /^(COMPLETED|CANCELED|ERROR|DELETED|DELETE_FAILED)$/.test(bare(state));

export type Action = 'activate' | 'pause' | 'cancel' | 'kill' | 'archive' | 'unarchive' | 'delete';
// `isUnmanaged`: its trials run outside of the cluster, where nobody here pauses or starts them; it is PAUSED while none runs.
export function actionsOf(state: string, isArchived: boolean, isUnmanaged = false): Action[] {
  const now = bare(state);
  const whenOver: Action[] = [isArchived ? 'unarchive' : 'archive', 'delete'];
  if (isOver(now)) return whenOver;
  if (now.startsWith('STOPPING')) return ['kill'];
  if (now === 'DELETING') return [];
  if (isUnmanaged) return ['cancel', 'kill', ...(now === 'PAUSED' ? whenOver : [])];
  return [now === 'PAUSED' ? 'activate' : 'pause', 'cancel', 'kill'];
}
// Of an unmanaged experiment, whether canceled or killed.
export const kUnmanagedEnd = 'It ends here, and later reports are refused. Its program goes on until you stop it where it runs.';
export const kActionWords: Record<Action, { name: string; means: string }> = {
  activate: { name: 'Activate', means: 'Training goes on from the last checkpoint.' },
  pause: { name: 'Pause', means: 'Trials save a checkpoint and free their slots. You can go on later.' },
  cancel: { name: 'Cancel', means: 'Trials save a checkpoint, then the experiment ends.' },
  kill: { name: 'Kill', means: 'Everything ends at once, without a checkpoint.' },
  archive: { name: 'Archive', means: 'It is hidden from lists. Nothing is removed.' },
  unarchive: { name: 'Unarchive', means: 'It is shown in lists again.' },
  delete: { name: 'Delete', means: 'The experiment is removed with its metrics, logs and checkpoints. This cannot be undone.' },
};
