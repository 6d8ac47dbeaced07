// Which lines differ between two texts: the shortest way from one to the other (E. Myers, An O(ND) Difference Algorithm, 1986).
export interface Line { kind: 'same' | 'added' | 'removed'; text: string; before: number | undefined; after: number | undefined }

const kMost = 2000;  // differences; where there are more, all between the common begin and end is taken for changed

function way(a: readonly string[], b: readonly string[]): [number, number][] | undefined {
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(kMost, a.length + b.length); steps += 1) {
    trace.push(new Map(reach));
    for (let k = -steps; k <= steps; k += 2) {
      let x = k === -steps || (k !== steps && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0)) ? reach.get(k + 1) ?? 0 : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return back(trace, a.length, b.length);
    }
  }
  return undefined;
}

// The places (x, y) on the way, from the begin to the end.
function back(trace: Map<number, number>[], x: number, y: number): [number, number][] {
  const places: [number, number][] = [[x, y]];
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const reach = trace[steps]!;
    const k = x - y;
    const from = k === -steps || (k !== steps && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0)) ? k + 1 : k - 1;
    const fromX = steps === 0 ? 0 : reach.get(from) ?? 0;
    const fromY = steps === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) { x -= 1; y -= 1; places.push([x, y]); }
    if (steps > 0) { x = fromX; y = fromY; places.push([x, y]); }
  }
  return places.reverse();
}

export function diff(before: string, after: string): Line[] {
  const a = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const b = after === '' ? [] : after.replace(/\n$/, '').split('\n');
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < a.length - begin && end < b.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const lines: Line[] = a.slice(0, begin).map((text, i) => ({ kind: 'same', text, before: i + 1, after: i + 1 }));
  const removed = (x: number) => lines.push({ kind: 'removed', text: a[x]!, before: x + 1, after: undefined });
  const added = (y: number) => lines.push({ kind: 'added', text: b[y]!, before: undefined, after: y + 1 });
  const places = way(a.slice(begin, a.length - end), b.slice(begin, b.length - end));
  if (!places) {
    for (let x = begin; x < a.length - end; x += 1) removed(x);
    for (let y = begin; y < b.length - end; y += 1) added(y);
  }
  for (let i = 1; i < (places?.length ?? 0); i += 1) {
    const [x, y] = places![i - 1]!;
    const [nextX, nextY] = places![i]!;
    if (nextX > x && nextY > y) lines.push({ kind: 'same', text: a[begin + x]!, before: begin + x + 1, after: begin + y + 1 });
    else if (nextX > x) removed(begin + x);
    else if (nextY > y) added(begin + y);
  }
  for (let i = end; i > 0; i -= 1) lines.push({ kind: 'same', text: a[a.length - i]!, before: a.length - i + 1, after: b.length - i + 1 });
  return lines;
}

// Only what changed with `around` lines beside it; a gap between two parts is undefined.
export function parts(lines: readonly Line[], around = 3): (Line | undefined)[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach(({ kind }, i) => { if (kind !== 'same') near.fill(true, Math.max(0, i - around), i + around + 1); });
  const shown: (Line | undefined)[] = [];
  lines.forEach((line, i) => {
    if (near[i]) shown.push(line);
    else if (shown.length > 0 && shown[shown.length - 1] !== undefined) shown.push(undefined);
  });
  if (shown[shown.length - 1] === undefined) shown.pop();
  return shown;
}
