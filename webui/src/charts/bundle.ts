// Hundreds of curves in one chart: uPlot has the axes, the zoom and the pointer, the curves are drawn over its grid here. As series of uPlot's own they
// cost it a few milliseconds each before the first is drawn.
import type uPlot from 'uplot';
import type { Curve } from './curves';
import { kColumns, shown, smoothed } from './curves';

// As they are drawn.
export const linesOf = (curves: readonly Curve[], weight: number, isLog: boolean): Curve[] =>
  curves.map(({ name, xs, ys }) => ({ name, xs, ys: smoothed(ys, weight).map((value) => shown(value, isLog)) }));

// What uPlot finds the reach of its axes by: x values, ascending, with the smallest and the largest value around each.
export function spanOf(lines: readonly Curve[]): [number[], (number | null)[], (number | null)[]] {
  let first = Infinity;
  let last = -Infinity;
  for (const { xs } of lines) {
    if (xs.length === 0) continue;
    first = Math.min(first, xs[0]!);
    last = Math.max(last, xs[xs.length - 1]!);
  }
  if (first > last) return [[], [], []];
  const step = (last - first) / (kColumns - 1) || 1;
  const lows = new Array<number | null | undefined>(kColumns);
  const highs = new Array<number | null>(kColumns);
  for (const { xs, ys } of lines) {
    for (let i = 0; i < xs.length; i += 1) {
      const at = Math.round((xs[i]! - first) / step);
      const value = ys[i]!;
      const low = lows[at];
      if (low === undefined || low === null) lows[at] = highs[at] = value;
      else if (value !== null) {
        if (value < low) lows[at] = value;
        if (value > highs[at]!) highs[at] = value;
      }
    }
  }
  const columns = [...lows.keys()].filter((at) => lows[at] !== undefined);
  return [columns.map((at) => first + at * step), columns.map((at) => lows[at]!), columns.map((at) => highs[at]!)];
}

// From a value to its place on the chart's canvas, in pixels of the canvas.
const acrossOf = ({ scales, bbox }: uPlot) => {
  const { min = 0, max = 1 } = scales['x']!;
  return (x: number) => bbox.left + ((x - min) / (max - min)) * bbox.width;
};
const upOf = ({ scales, bbox }: uPlot, isLog: boolean) => {
  const form = isLog ? Math.log10 : (value: number) => value;
  const low = form(scales['y']!.min ?? 0);
  const high = form(scales['y']!.max ?? 1);
  return (value: number) => bbox.top + bbox.height * (1 - (form(value) - low) / (high - low));
};

// `colours`: of each line. All but `focused`, where there is one, are faint. `ratio`: pixels of the canvas of each of the page.
export function drawLines(plot: uPlot, lines: readonly Curve[], isLog: boolean, colours: readonly string[], focused: number | null, ratio: number): void {
  const { ctx, bbox } = plot;
  const across = acrossOf(plot);
  const up = upOf(plot, isLog);
  const dot = 3 * ratio;
  const draw = (at: number, width: number) => {
    const { xs, ys } = lines[at]!;
    ctx.strokeStyle = ctx.fillStyle = colours[at]!;
    ctx.lineWidth = width * ratio;
    ctx.beginPath();
    for (let i = 0; i < xs.length; i += 1) {
      const value = ys[i]!;
      if (value === null) continue;
      const isBegin = i === 0 || ys[i - 1] === null;
      // No line reaches it.
      if (isBegin && (i + 1 === xs.length || ys[i + 1] === null)) ctx.fillRect(across(xs[i]!) - dot / 2, up(value) - dot / 2, dot, dot);
      else if (isBegin) ctx.moveTo(across(xs[i]!), up(value));
      else ctx.lineTo(across(xs[i]!), up(value));
    }
    ctx.stroke();
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = 'round';
  ctx.globalAlpha = focused === null ? 1 : 0.25;
  for (let at = 0; at < lines.length; at += 1) if (at !== focused) draw(at, 1);
  ctx.globalAlpha = 1;
  if (focused !== null && focused < lines.length) draw(focused, 2);
  ctx.restore();
}

// The first index whose x is not below `x`.
function placeOf(xs: readonly number[], x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Found { line: number; at: number }
// The line that is nearest above or below the pointer at `x`, and its point nearest to that. `gap`: how far a value is from the pointer, in pixels, of
// which `most` still count; `reach`: how far beyond its ends a line is still meant, on the x axis.
export function nearest(lines: readonly Curve[], x: number, gap: (value: number) => number, most: number, reach: number): Found | undefined {
  let found: Found | undefined;
  let best = most;
  lines.forEach(({ xs, ys }, line) => {
    if (xs.length === 0 || x < xs[0]! - reach || x > xs[xs.length - 1]! + reach) return;
    const behind = Math.min(placeOf(xs, x), xs.length - 1);
    const before = behind > 0 && xs[behind]! >= x ? behind - 1 : behind;
    const [left, right] = [ys[before]!, ys[behind]!];
    const width = xs[behind]! - xs[before]!;
    const part = width > 0 ? Math.min(1, Math.max(0, (x - xs[before]!) / width)) : 1;
    const value = left === null ? right : right === null ? left : left + (right - left) * part;
    if (value === null) return;
    const distance = gap(value);
    if (distance > best) return;
    best = distance;
    found = { line, at: right === null || (left !== null && part < 0.5) ? before : behind };
  });
  return found;
}
