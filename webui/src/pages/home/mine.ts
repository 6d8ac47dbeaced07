// Which experiments of one's own the home page shows.
import { searchQuery } from '../../api/queries';
import type { TableSearch } from '../experiments/search';
import { filterText } from '../experiments/search';

interface Part { search: TableSearch; limit: number }
export const kOpen: Part = { search: { filter: 'state != COMPLETED and state != CANCELED and state != ERROR' }, limit: 100 };
export const kFailed: Part = { search: { state: 'ERROR' }, limit: 8 };  // each has its log asked for a line
export const kAny: Part = { search: {}, limit: 1 };

// The list of those that are not over. Whose they are stands in its filter, where one sees it and takes it away.
export const openOf = (user: number): TableSearch => ({ filter: `user = ${user} and ${kOpen.search.filter}` });

export const mineQuery = ({ search, limit }: Part, user: number) => searchQuery({ offset: 0, limit, sort: 'id=desc', filter: filterText({ ...search, user }) });
