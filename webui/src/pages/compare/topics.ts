import { isOver } from '../../lib/state';

const kMostWatched = 20;  // trials, of which each change is told; more of them are asked for in turn
export const isWatched = (trials: readonly number[]) => trials.length <= kMostWatched;

// What tells that something of what is compared has changed: nothing once all of it is over. `states`: undefined until they are known.
export function topicsOf(states: readonly string[] | undefined, trials: readonly number[]): string[] {
  if (states?.every(isOver)) return [];
  return ['experiments', ...(isWatched(trials) ? trials.map((id) => `trial:${id}`) : [])];
}
