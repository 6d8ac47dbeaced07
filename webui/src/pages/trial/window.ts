// The lines of a log that the page holds: a window of at most kMost, whose ends are moved as one reads on.
export interface Line { id: string; time: string; level: string; text: string }
export const kMost = 20_000;

export interface Told { id?: string; timestamp?: string; level?: string; log?: string; message?: string }
export function lineOf({ id, timestamp, level, log, message }: Told): Line {
  return { id: id ?? '', time: timestamp ?? '', level: (level ?? '').replace(/^LOG_LEVEL_/, ''), text: (log ?? message ?? '').replace(/\r?\n$/, '') };
}

// New lines behind; those that are there already are left out, and the oldest go where there are too many.
export function behind(lines: readonly Line[], more: readonly Line[]): Line[] {
  const known = new Set(lines.slice(-2000).map(({ id }) => id));
  return [...lines, ...more.filter(({ id }) => !known.has(id))].slice(-kMost);
}

// Older lines before; the newest go where there are too many.
export function before(lines: readonly Line[], more: readonly Line[]): Line[] {
  const known = new Set(lines.slice(0, 2000).map(({ id }) => id));
  return [...more.filter(({ id }) => !known.has(id)), ...lines].slice(0, kMost);
}
