// The state of the experiments table as it stands in the address, and as the server's filter.
export interface TableSearch { q?: string; state?: string; user?: number; archived?: boolean; sort?: string; cols?: string }
export const kStates = ['ACTIVE', 'PAUSED', 'COMPLETED', 'CANCELED', 'ERROR'] as const;

// Only what is understood: an address may come from anybody.
export function readSearch(search: Record<string, unknown>): TableSearch {
  const { q, state, user, archived, sort, cols } = search;
  return {
    ...(q !== undefined && q !== '' && { q: String(q) }),
    ...(kStates.some((known) => known === state) && { state: String(state) }),
    ...(typeof user === 'number' && { user }),
    ...(archived === true && { archived }),
    ...(typeof sort === 'string' && /^\w+=(asc|desc)$/.test(sort) && { sort }),
    ...(typeof cols === 'string' && /^\w+(\.\w+)*$/.test(cols) && { cols }),
  };
}

const field = (columnName: string, operator: string, value: unknown) => ({ kind: 'field', location: 'LOCATION_TYPE_EXPERIMENT', columnName, operator, value });

// A number looks for that id too.
export function filterText({ q, state, user, archived }: TableSearch): string {
  const children: object[] = [];
  if (q) {
    const either = [field('name', 'contains', q), field('description', 'contains', q), field('tags', 'contains', q)];
    if (/^\d{1,9}$/.test(q)) either.push(field('id', '=', Number(q)));
    children.push({ kind: 'group', conjunction: 'or', children: either });
  }
  if (state) children.push(field('state', '=', state));
  if (user !== undefined) children.push(field('user', '=', user));
  return JSON.stringify({ filterGroup: { kind: 'group', conjunction: 'and', children }, showArchived: archived === true });
}

// The other direction where it is sorted so already; numbers and times begin with the largest.
export function nextSort(sort: string | undefined, column: string): string {
  return sort === `${column}=desc` ? `${column}=asc` : `${column}=desc`;
}
