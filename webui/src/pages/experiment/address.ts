import type { XAxis } from '../../charts/curves';
import type { LogSearch } from '../trial/address';
import { readLogSearch } from '../trial/address';
import type { Brushes } from './hyperparameters/brushes';
import { readBrushes } from './hyperparameters/brushes';
import { readSort, sortText } from './sort';

// What the address of an experiment's part says beside its name. It comes from anybody: what is not right is left out.
const kViews = ['submitted', 'filled', 'diff'] as const;
export type View = 'complete' | (typeof kViews)[number];
// Which values of the goal are the best ones, where that is not what the search looks for.
const kBest = ['smallest', 'largest'] as const;
export type Best = (typeof kBest)[number];
export interface TabSearch extends LogSearch {
  metric?: string | undefined; axis?: XAxis | undefined; sort?: string | undefined; page?: number | undefined; all?: true | undefined; trial?: number | undefined; file?: string | undefined; view?: View | undefined; brush?: Brushes | undefined;
  goal?: string | undefined; best?: Best | undefined;
}

const whole = (value: unknown, least: number) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined);

export function readTabSearch(search: Record<string, unknown>): TabSearch {
  const file = typeof search['file'] === 'string' && search['file'].length <= 1024 ? search['file'] : undefined;
  const { metric, axis, goal } = search;
  const sort = readSort(search['sort']);
  const all = {
    ...readLogSearch(search), metric: typeof metric === 'string' && metric.length <= 1000 ? metric : undefined, axis: axis === 'time' ? 'time' as const : undefined,
    sort: sort && sortText(sort.column, sort.isDown), page: whole(search['page'], 0), all: search['all'] === true ? true as const : undefined, trial: whole(search['trial'], 1), file,
    view: kViews.find((view) => view === search['view']), brush: readBrushes(search['brush']),
    goal: typeof goal === 'string' && goal.length <= 1000 ? goal : undefined, best: kBest.find((best) => best === search['best']),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
