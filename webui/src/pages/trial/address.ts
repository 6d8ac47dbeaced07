// What the address of a log says: what it is narrowed to, and a line that somebody pointed to.
export interface LogSearch {
  q?: string | undefined; regex?: true | undefined; level?: string | undefined; rank?: number | undefined; pod?: string | undefined;
  line?: number | undefined; at?: string | undefined;
}
export const kLevels = ['TRACE', 'DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'];

const whole = (value: unknown, least: number) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined);
const text = (value: unknown, most: number) => (typeof value === 'string' && value !== '' && value.length <= most ? value : undefined);

export function readLogSearch(search: Record<string, unknown>): LogSearch {
  const at = text(search['at'], 40);
  const all: LogSearch = {
    q: typeof search['q'] === 'number' ? String(search['q']) : text(search['q'], 1000), regex: search['regex'] === true ? true : undefined,
    level: kLevels.find((level) => level === search['level']), rank: whole(search['rank'], 0), pod: text(search['pod'], 253),
    line: whole(search['line'], 0), at: at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
