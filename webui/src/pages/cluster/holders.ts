// Who holds which slot, and what ran on which day.
import type { Schemas } from '../../api/client';

export interface Holder { name: string; trial?: number; experiment?: number; task?: string }

// By the container's id. Runs of trials are told by their names: "Trial 2 (Experiment 1)".
export function holders(allocations: { [id: string]: Schemas['v1AllocationSummary'] }): Map<string, Holder> {
  const found = new Map<string, Holder>();
  for (const { name = '', taskId = '', resources = [] } of Object.values(allocations)) {
    const trial = /^\d+\./.test(taskId) ? /^Trial (\d+) \(Experiment (\d+)\)$/.exec(name) : null;
    const holder: Holder = trial ? { name, trial: Number(trial[1]), experiment: Number(trial[2]) } : { name, task: taskId };
    for (const { containerId } of resources) if (containerId) found.set(containerId, holder);
  }
  return found;
}

export type SlotState = 'free' | 'held' | 'off' | 'draining';
export function slotState(slot: Schemas['v1Slot']): SlotState {
  if (slot.draining) return 'draining';
  if (slot.enabled === false) return 'off';
  return slot.container ? 'held' : 'free';
}
export const kSlotWords: Record<SlotState, string> = { free: 'free', held: 'in use', off: 'switched off', draining: 'takes nothing new' };

export interface Day { date: string; seconds: number; parts: [string, number][] }
export type Cut = 'byResourcePool' | 'byUsername' | 'byExperimentLabel';
// Every day from `first` to `last`, also those on which nothing ran; the largest parts first.
export function daysOf(entries: readonly Schemas['v1AggregatedUsage'][], first: string, last: string, cut: Cut): Day[] {
  const told = new Map(entries.map((entry) => [entry.periodStart ?? '', entry]));
  const days: Day[] = [];
  for (let time = Date.parse(first); time <= Date.parse(last); time += 86_400_000) {
    const date = new Date(time).toISOString().slice(0, 10);
    const entry = told.get(date);
    days.push({ date, seconds: entry?.seconds ?? 0, parts: Object.entries(entry?.[cut] ?? {}).sort(([, one], [, other]) => other - one) });
  }
  return days;
}

export function hours(seconds: number): string {
  const value = seconds / 3600;
  return value !== 0 && value < 0.1 ? 'less than 0.1' : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
}
