// Which line of a log the arrow keys lead to, and where the log is scrolled for it.

// `at`: the current line, below 0 where there is none. Then it is the first or the last of those in view, [from, to]. Undefined: another key.
export function stepped(at: number, key: string, count: number, [from, to]: readonly [number, number]): number | undefined {
  if (count === 0 || (key !== 'ArrowDown' && key !== 'ArrowUp')) return undefined;
  const isDown = key === 'ArrowDown';
  return Math.min(count - 1, Math.max(0, at < 0 ? (isDown ? from : to) : at + (isDown ? 1 : -1)));
}

// As little as shows all of the line: `size` is the height of a line, `height` of what is in view.
export function scrolledTo(place: number, size: number, top: number, height: number): number {
  return Math.min(place * size, Math.max(top, (place + 1) * size - height));
}
