// The queue as people look at it: a pool at a time, in the order in which slots are given.
import type { Job, Rights } from '../../api/sections';
import { may } from '../../components/rights';

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

const kTypes: Record<string, string> = {
  TYPE_EXPERIMENT: 'Experiment', TYPE_NOTEBOOK: 'Notebook', TYPE_SHELL: 'Shell', TYPE_COMMAND: 'Command', TYPE_TENSORBOARD: 'TensorBoard', TYPE_GENERIC: 'Generic task',
};
export const typeWords = (type: string | undefined) => kTypes[type ?? ''] ?? 'Job';

// "experiment 4 waits; trial 4: its pods ..." says twice what the row says already.
export const reasonWords = (reason: string) => reason.replace(/^(experiment|task) \S+ waits; /, '');
