// The queue as people look at it: a pool at a time, in the order in which slots are given.
import type { Job, Rights } from '../../api/sections';
import { may } from '../../components/rights';
import { grouped } from '../../lib/format';

export interface Pool { name: string; jobs: Job[]; running: number; waiting: number }
// Where another scheduler places the pods, places in the queue decide nothing; priorities do. Undefined: not known yet.
export function isOrderedHere(pools: readonly { name?: string; schedulerType?: string }[] | undefined, name: string): boolean | undefined {
  const type = pools?.find((pool) => pool.name === name)?.schedulerType;
  return type === undefined ? undefined : type === 'SCHEDULER_TYPE_PRIORITY';
}

// Who may stop it may change its priority and its place; where the queue is strict, only who may besides control that. `isStrict` is not known at first.
export function mayReorder(rights: Rights | undefined, { type, workspaceId, userId }: Job, isStrict: boolean | undefined): boolean {
  if (!rights || isStrict === undefined || (isStrict && !may(rights, 'CONTROL_STRICT_JOB_QUEUE'))) return false;
  return type === 'TYPE_EXPERIMENT' ? may(rights, 'UPDATE_EXPERIMENT', { workspace: workspaceId, owner: 'anybody' }) : may(rights, 'UPDATE_NSC', { workspace: workspaceId, owner: userId });
}

export const isWaiting = ({ summary }: Job) => summary?.state === 'STATE_QUEUED';

export function byPool(jobs: readonly Job[]): Pool[] {
  const pools = new Map<string, Pool>();
  for (const job of jobs) {
    const name = job.resourcePool ?? '';
    const pool = pools.get(name) ?? { name, jobs: [], running: 0, waiting: 0 };
    pools.set(name, pool);
    pool.jobs.push(job);
    if (isWaiting(job)) pool.waiting += 1;
    else pool.running += 1;
  }
  return [...pools.values()].sort((one, other) => one.name.localeCompare(other.name));
}

// The server counts those that one may not see, too; `index` is the job's among those of its pool that one sees.
export const placeOf = ({ summary }: Job, index: number): number => (summary?.jobsAhead ?? index) + 1;

// Among the jobs of a pool how many there are that one does not see.
export function hiddenWords(jobs: readonly Job[]): string | undefined {
  const hidden = Math.max(0, ...jobs.map((job, index) => placeOf(job, index) - 1 - index));
  if (hidden === 0) return undefined;
  return hidden === 1 ? '1 job that you may not see is ahead of some of these; it has a place, too.'
    : `${grouped(hidden)} jobs that you may not see are ahead of some of these; they have places, too.`;
}

const kTypes: Record<string, string> = {
  TYPE_EXPERIMENT: 'Experiment', TYPE_NOTEBOOK: 'Notebook', TYPE_SHELL: 'Shell', TYPE_COMMAND: 'Command', TYPE_TENSORBOARD: 'TensorBoard', TYPE_GENERIC: 'Generic task',
};
export const typeWords = (type: string | undefined) => kTypes[type ?? ''] ?? 'Job';

// "experiment 4 waits; trial 4: its pods ..." says twice what the row says already.
export const reasonWords = (reason: string) => reason.replace(/^(experiment|task) \S+ waits; /, '');
