import type { XAxis } from '../../charts/curves';
import type { LogSearch } from '../trial/address';
import { readLogSearch } from '../trial/address';
import type { Brushes } from './hyperparameters/brushes';
import { readBrushes } from './hyperparameters/brushes';
import { readSort, sortText } from './sort';

// What the address of an experiment's part says beside its name. It comes from anybody: what is not right is left out.
const kViews = ['submitted', 'filled', 'diff'] as const;
export type View = 'complete' | (typeof kViews)[number];
export interface TabSearch extends LogSearch {
  metric?: string | undefined; axis?: XAxis | undefined; sort?: string | undefined; page?: number | undefined; all?: true | undefined; trial?: number | undefined; file?: string | undefined; view?: View | undefined; brush?: Brushes | undefined;
}

const whole = (value: unknown, least: number) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined);

export function readTabSearch(search: Record<string, unknown>): TabSearch {
  const file = typeof search['file'] === 'string' && search['file'].length <= 1024 ? search['file'] : undefined;
  const { metric, axis } = search;
  const sort = readSort(search['sort']);
  const all = {
    ...readLogSearch(search), metric: typeof metric === 'string' && metric.length <= 1000 ? metric : undefined, axis: axis === 'time' ? 'time' as const : undefined,
    sort: sort && sortText(sort.column, sort.isDown), page: whole(search['page'], 0), all: search['all'] === true ? true as const : undefined, trial: whole(search['trial'], 1), file,
    view: kViews.find((view) => view === search['view']), brush: readBrushes(search['brush']),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
