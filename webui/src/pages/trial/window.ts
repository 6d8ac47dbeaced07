// The lines of a log that the page holds: a window of at most kMost, whose ends are moved as one reads on.
export interface Line { id: string; time: string; level: string; text: string }
export const kMost = 20_000;

export interface Told { id?: string; timestamp?: string; level?: string; log?: string; message?: string }
export function lineOf({ id, timestamp, level, log, message }: Told): Line {
  return { id: id ?? '', time: timestamp ?? '', level: (level ?? '').replace(/^LOG_LEVEL_/, ''), text: (log ?? message ?? '').replace(/\r?\n$/, '') };
}

// `isBegin`, `isEnd`: nothing of the log is before the first of the lines, or behind the last.
export interface Part { lines: readonly Line[]; isBegin: boolean; isEnd: boolean }

// New lines behind; those that are there already are left out. The oldest go where there are too many: then the begin is not here.
export function behind({ lines, isBegin, isEnd: wasEnd }: Part, more: readonly Line[], isEnd = wasEnd): Part {
  const known = new Set(lines.slice(-2000).map(({ id }) => id));
  const all = [...lines, ...more.filter(({ id }) => !known.has(id))];
  return { lines: all.slice(-kMost), isBegin: isBegin && all.length <= kMost, isEnd };
}

// Older lines before; the newest go where there are too many: then the end is not here.
export function before({ lines, isEnd }: Part, more: readonly Line[], isBegin: boolean): Part {
  const known = new Set(lines.slice(0, 2000).map(({ id }) => id));
  const all = [...more.filter(({ id }) => !known.has(id)), ...lines];
  return { lines: all.slice(0, kMost), isBegin, isEnd: isEnd && all.length <= kMost };
}

// What becomes of the lines when nobody has followed the log for a while. `newest`: the last of it, `isAll` where there are no others. As long as these have
// the last line that is there, what is behind it can be followed. Else all that came meanwhile would be read: who looks at the end gets the newest.
export function caughtUp(part: Part, newest: readonly Line[], isAll: boolean, isFollowed: boolean): Part {
  const last = part.lines[part.lines.length - 1];
  if (isAll || newest.some(({ id }) => id === last?.id)) return part;
  return isFollowed || last === undefined ? { lines: newest, isBegin: false, isEnd: true } : { ...part, isEnd: false };
}

// By how many places the line that was the `top` of `old` has moved; 0 where it is gone.
export function moved<L extends Line>(old: readonly L[], now: readonly L[], top: number, keyOf: (line: L) => string): number {
  const line = old[top];
  if (!line || now[top] === line) return 0;
  const key = keyOf(line);
  const place = key === '' ? -1 : now.findIndex((one) => keyOf(one) === key);
  return place < 0 ? 0 : place - top;
}
