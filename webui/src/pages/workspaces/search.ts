// The order of a project's experiments as it stands in the address.
import { readSearch } from '../experiments/search';

export interface ProjectSearch { sort?: string }
export function readProjectSearch(search: Record<string, unknown>): ProjectSearch {
  const { sort } = readSearch(search);
  return sort === undefined ? {} : { sort };
}
