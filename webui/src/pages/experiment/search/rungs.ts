// Where the trials of a bracket stand, as columns of its drawing.
import type { Schemas } from '../../../api/client';
import { isOver } from '../../../lib/state';

export type Fate = 'went-on' | 'finished' | 'trains' | 'stopped' | 'unknown';
export interface Place { id: string; trial: number | undefined; metric: number | null; fate: Fate }
export interface Column { length: number; results: number; stay: number; places: Place[]; hidden: number }
// From place `from` of column `column` to place `to` of the next one.
export interface Way { column: number; from: number; to: number }

// Whether a trial has not ended; undefined for one that is not among `trials`, which are not there at first.
export function trainsIn(trials: readonly { id?: number; state?: string }[] | undefined): (trial: number) => boolean | undefined {
  const known = new Map((trials ?? []).map(({ id, state }) => [id, !isOver(state ?? '')]));
  return (trial) => known.get(trial);
}

// `trains` is that of the trials. The server names the best twenty of a rung: of one that is not among those of the next
// rung nothing is known where there are more than these.
export function columnsOf(bracket: Schemas['v1SearchBracket'], trains: (trial: number) => boolean | undefined): { columns: Column[]; ways: Way[] } {
  const rungs = bracket.rungs ?? [];
  const columns = rungs.map(({ length = 0, results = 0, trials = 0, best = [] }, i): Column => {
    const above = rungs[i + 1];
    const known = new Set((above?.best ?? []).map(({ id }) => id));
    const isComplete = (above?.results ?? 0) <= (above?.best ?? []).length;
    const fate = (id: string, trial: number | undefined): Fate => {
      if (known.has(id)) return 'went-on';
      const isTraining = trial === undefined ? undefined : trains(trial);
      if (isTraining) return 'trains';
      if (above === undefined) return 'finished';
      return isComplete && isTraining === false ? 'stopped' : 'unknown';
    };
    return {
      length, results, stay: trials, hidden: results - best.length,
      places: best.map(({ id = '', trial, metric = null }) => ({ id, trial, metric, fate: fate(id, trial) })),
    };
  });
  const ways = columns.flatMap(({ places }, column) => places.flatMap(({ id }, from): Way[] => {
    const to = columns[column + 1]?.places.findIndex((one) => one.id === id) ?? -1;
    return to < 0 ? [] : [{ column, from, to }];
  }));
  return { columns, ways };
}

export const kFates: Record<Fate, string> = {
  'went-on': 'went on to the next rung', finished: 'reached the last rung', trains: 'still trains', stopped: 'was stopped here', unknown: 'whether it went on is not known',
};
