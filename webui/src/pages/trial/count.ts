// How many lines there are, in words.
interface Place { isBegin: boolean; isEnd: boolean; isNarrowed: boolean }
const number = (count: number) => count.toLocaleString('en');

// `here`: how many lines the page has. `counted`: how many the server found, and whether these are all.
export function countWords(here: number, { isBegin, isEnd, isNarrowed }: Place, counted?: { count?: string; isAll?: boolean }): string {
  const lines = `${number(here)} ${here === 1 ? 'line' : 'lines'}`;
  if (isBegin && isEnd) return isNarrowed ? `${lines} found` : lines;
  const where = isBegin ? ' from the begin' : isEnd ? ' from the end' : '';
  const all = Number(counted?.count ?? 0);
  // What came meanwhile is not counted.
  return isNarrowed && all > here ? `${number(here)} of ${number(all)}${counted?.isAll ? '' : ' and more'} found${where}` : lines + where;
}
