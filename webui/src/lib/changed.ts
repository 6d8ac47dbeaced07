// What a dialog changes of a thing: the rest is not sent, as somebody else may have changed it since the dialog was
// opened.

// A form trims a text, and ends its lines in one way.
const asTyped = (value: unknown) => (typeof value === 'string' ? value.replace(/\r\n?/g, '\n').trim() : value);
function isSame(before: unknown, now: unknown): boolean {
  if (Array.isArray(now)) return JSON.stringify(before ?? []) === JSON.stringify(now);
  return (asTyped(before) ?? (typeof now === 'boolean' ? false : '')) === asTyped(now);
}

// The parts of `now` that are not as they were `before`, when the dialog was opened. What is not there is empty, or
// false.
export function changedOf<T extends object>(before: { [K in keyof T]?: T[K] | null | undefined }, now: T): Partial<T> {
  const parts = Object.entries(now).filter(([name, value]) => !isSame(before[name as keyof T], value));
  return Object.fromEntries(parts) as Partial<T>;
}
