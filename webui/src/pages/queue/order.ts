// The queue as people look at it: a pool at a time, in the order in which slots are given.
import type { Job } from '../../api/sections';

export interface Pool { name: string; jobs: Job[]; running: number; waiting: number }
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
