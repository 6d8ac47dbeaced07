// Whose log is shown before somebody chooses: of trials, the newest first, one that failed says most, then one that runs.
import type { Trial } from '../../api/queries';
import { isOver } from '../../lib/state';

// The trial that is to be asked for by itself: it is chosen, and not among the newest. Undefined until those are known.
export function askedAlone(chosen: number | undefined, trials: readonly Trial[] | undefined): number | undefined {
  return trials && !trials.some(({ id }) => id === chosen) ? chosen : undefined;
}

export function firstLog(trials: readonly Trial[]): number | undefined {
  const found = trials.find(({ state }) => state === 'STATE_ERROR') ?? trials.find(({ restarts }) => (restarts ?? 0) > 0) ?? trials.find(({ state }) => !isOver(state ?? '')) ?? trials[0];
  return found?.id;
}
