// The state of the experiments table as it stands in the address, and as the server's filter.
import { parse, toServer } from './language';

export interface TableSearch { q?: string; state?: string; user?: number; archived?: boolean; sort?: string; cols?: string[]; filter?: string; project?: number }
export const kStates = ['ACTIVE', 'PAUSED', 'COMPLETED', 'CANCELED', 'ERROR'] as const;
const kMostColumns = 60;

// Only what is understood: an address may come from anybody.
export function readSearch(search: Record<string, unknown>): TableSearch {
  const { q, state, user, archived, sort, cols, filter, project } = search;
  const columns = Array.isArray(cols) ? [...new Set(cols.filter((one): one is string => typeof one === 'string' && one.length <= 300))].slice(0, kMostColumns) : [];
  return {
    ...(q !== undefined && q !== '' && { q: String(q) }),
    ...(kStates.some((known) => known === state) && { state: String(state) }),
    ...(typeof user === 'number' && { user }),
    ...(archived === true && { archived }),
    ...(typeof sort === 'string' && /^[^,=]{1,300}=(asc|desc)$/.test(sort) && { sort }),
    ...(columns.length > 0 && { cols: columns }),
    ...(typeof filter === 'string' && filter !== '' && filter.length <= 8192 && { filter }),
    ...(typeof project === 'number' && Number.isSafeInteger(project) && project > 0 && { project }),
  };
}

const field = (columnName: string, operator: string, value: unknown) => ({ kind: 'field', location: 'LOCATION_TYPE_EXPERIMENT', columnName, operator, value });

// A number looks for that id too. A filter that is not understood finds nothing: the page says what is wrong with it.
export function filterText({ q, state, user, archived, filter }: TableSearch): string {
  const children: object[] = [];
  if (q) {
    const either = [field('name', 'contains', q), field('description', 'contains', q), field('tags', 'contains', q)];
    if (/^\d{1,9}$/.test(q)) either.push(field('id', '=', Number(q)));
    children.push({ kind: 'group', conjunction: 'or', children: either });
  }
  if (state) children.push(field('state', '=', state));
  if (user !== undefined) children.push(field('user', '=', user));
  if (filter) {
    const parsed = parse(filter);
    if (!parsed.ok) children.push(field('id', '<', 0));
    else if (parsed.group.children.length > 0) children.push(toServer(parsed.group));
  }
  return JSON.stringify({ filterGroup: { kind: 'group', conjunction: 'and', children }, showArchived: archived === true });
}

// The other direction where it is sorted so already; numbers and times begin with the largest.
export function nextSort(sort: string | undefined, column: string): string {
  return sort === `${column}=desc` ? `${column}=asc` : `${column}=desc`;
}
