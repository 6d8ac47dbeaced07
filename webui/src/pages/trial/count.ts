// How many lines there are, in words.
import { grouped } from '../../lib/format';
interface Place { isBegin: boolean; isEnd: boolean; isNarrowed: boolean }

// `here`: how many lines the page has. `counted`: how many the server found, and whether these are all.
export function countWords(here: number, { isBegin, isEnd, isNarrowed }: Place, counted?: { count?: string; isAll?: boolean }): string {
  const lines = `${grouped(here)} ${here === 1 ? 'line' : 'lines'}`;
  if (isBegin && isEnd) return isNarrowed ? `${lines} found` : lines;
  const where = isBegin ? ' from the begin' : isEnd ? ' from the end' : '';
  const all = Number(counted?.count ?? 0);
  // What came meanwhile is not counted.
  return isNarrowed && all > here ? `${grouped(here)} of ${grouped(all)}${counted?.isAll ? '' : ' and more'} found${where}` : lines + where;
}
