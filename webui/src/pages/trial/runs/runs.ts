// Allocations of a trial's tasks as its runs, the first one first.
import type { Schemas } from '../../../api/client';

export interface Run {
  id: string; number: number; started: string; from: number; to: number | undefined; slots: number; code: number | undefined;
  reason: string; isReady: boolean; state: string; tone: 'good' | 'bad' | 'run' | 'calm';
}

export function runsOf(allocations: readonly Schemas['v1Allocation'][]): Run[] {
  const sorted = [...allocations].filter(({ startTime }) => startTime).sort((a, b) => Date.parse(a.startTime!) - Date.parse(b.startTime!));
  return sorted.map((one, i): Run => {
    const to = one.endTime ? Date.parse(one.endTime) : undefined;
    const reason = one.exitReason ?? '';
    const isFailed = to !== undefined && ((one.statusCode ?? 0) !== 0 || /fail|error|lost|evict/i.test(reason));
    const isWhole = to !== undefined && !isFailed && /zero exit code|success/i.test(reason);
    return {
      id: one.allocationId ?? '', number: Number(/\.(\d+)$/.exec(one.allocationId ?? '')?.[1] ?? i + 1), started: one.startTime!, from: Date.parse(one.startTime!), to,
      slots: one.slots ?? 0, code: one.statusCode, reason, isReady: one.isReady === true,
      state: to === undefined ? 'Running' : isFailed ? 'Failed' : isWhole ? 'Completed' : 'Ended', tone: to === undefined ? 'run' : isFailed ? 'bad' : isWhole ? 'good' : 'calm',
    };
  });
}

export function reasonWords({ to, reason, number }: Run): string {
  if (to === undefined) return number === 1 ? 'It runs.' : 'It runs again, from the last checkpoint where there is one.';
  return reason === '' ? 'It ended; the server does not say why.' : `It ended: ${reason}.`;
}

// The pods of each run, by its number: pods are named PREFIX-RUN-RANK.
export function podsOf(names: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const name of [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const run = /-(\d+)-\d+$/.exec(name)?.[1];
    if (run !== undefined) found.set(Number(run), [...(found.get(Number(run)) ?? []), name]);
  }
  return found;
}

export const span = (runs: readonly Run[], now: number) => ({ from: Math.min(...runs.map(({ from }) => from)), to: Math.max(...runs.map(({ to }) => to ?? now)) });
