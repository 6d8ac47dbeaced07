// Two hyperparameters together: the mean metric of the trials in each field.
import { memo, useMemo, useState } from 'react';
import type { Draw, Spot } from '../../../charts/Canvas';
import { Canvas, cut, shade } from '../../../charts/Canvas';
import { metric } from '../../../lib/format';
import type { Axis, Row } from './axes';
import { axisOf, badness, fewest, field, ticks } from './axes';

const kHeight = 360;
const kFrame = { left: 84, right: 14, top: 10, bottom: 34 };
const kFields = 8;

interface Props { rows: readonly Row[]; axes: readonly Axis[]; goal: string; isSmallerBetter: boolean }
function Drawn({ rows, axes, goal, isSmallerBetter }: Props) {
  const [names, setNames] = useState({ x: axes[0]!.name, y: axes[1]!.name });
  const [near, setNear] = useState<[number, number]>();
  const [x, y] = useMemo(() => [fewest(rows, axes.find(({ name }) => name === names.x) ?? axes[0]!), fewest(rows, axes.find(({ name }) => name === names.y) ?? axes[1]!)] as const, [rows, axes, names]);
  const cells = useMemo(() => field(rows, x, y, kFields), [rows, x, y]);
  const scale = useMemo(() => axisOf('', cells.flat().filter(({ trials }) => trials > 0).map(({ mean }) => mean)), [cells]);
  const size = (width: number) => ({ width: (width - kFrame.left - kFrame.right) / cells[0]!.length, height: (kHeight - kFrame.top - kFrame.bottom) / cells.length });
  const draw = useMemo<Draw>(() => (context, width, height, ink) => {
    const one = size(width);
    const top = (row: number) => kFrame.top + (cells.length - 1 - row) * one.height;
    cells.forEach((line, row) => line.forEach(({ mean, trials }, column) => {
      context.fillStyle = trials === 0 ? ink.line : shade(badness(scale, mean, isSmallerBetter), ink.isDark);
      context.globalAlpha = trials === 0 ? 0.35 : 1;
      context.fillRect(kFrame.left + column * one.width + 1, top(row) + 1, one.width - 2, one.height - 2);
    }));
    context.globalAlpha = 1;
    if (near) {
      context.strokeStyle = ink.text;
      context.lineWidth = 2;
      context.strokeRect(kFrame.left + near[0] * one.width + 1, top(near[1]) + 1, one.width - 2, one.height - 2);
    }
    context.font = ink.font;
    context.fillStyle = ink.soft;
    context.textAlign = 'right';
    const inside = (axis: Axis, at: number, count: number) => (axis.kind === 'category' ? (at * (count - 1) + 0.5) / count : at);
    for (const { at, text } of ticks(y)) context.fillText(cut(context, text, kFrame.left - 12), kFrame.left - 8, kFrame.top + (1 - inside(y, at, cells.length)) * (height - kFrame.top - kFrame.bottom) + 4);
    const marks = ticks(x);
    marks.forEach(({ at, text }, i) => {
      context.textAlign = x.kind === 'category' ? 'center' : i === 0 ? 'left' : i === marks.length - 1 ? 'right' : 'center';
      context.fillText(cut(context, text, (width - kFrame.left) / marks.length - 6), kFrame.left + inside(x, at, cells[0]!.length) * (width - kFrame.left - kFrame.right), height - 12);
    });
  }, [cells, scale, near, x, y, isSmallerBetter]);
  const point = (spot: Spot) => {
    const one = size(spot.width);
    const column = Math.floor((spot.x - kFrame.left) / one.width);
    const row = cells.length - 1 - Math.floor((spot.y - kFrame.top) / one.height);
    setNear(cells[row]?.[column] ? [column, row] : undefined);
  };
  const told = near && cells[near[1]]?.[near[0]];
  // Never the same twice: who chooses the other one gets them the other way round.
  const take = (which: 'x' | 'y', name: string) => {
    setNear(undefined);
    if (which === 'x') setNames({ x: name, y: name === y.name ? x.name : y.name });
    else setNames({ x: name === x.name ? y.name : x.name, y: name });
  };
  const choose = (which: 'x' | 'y', label: string) => (
    <label>{label} <select className="input" value={which === 'x' ? x.name : y.name} onChange={(event) => take(which, event.target.value)}>
      {axes.map(({ name }) => <option key={name}>{name}</option>)}</select></label>
  );
  return (
    <section className="card stack">
      <div className="spread"><h2>Two together</h2><div className="cluster">{choose('x', 'Across')}{choose('y', 'Up')}</div></div>
      <figure className="plot">
        <div className="canvas-frame"><Canvas label={`Mean ${goal} by ${x.name} and ${y.name}`} height={kHeight} draw={draw} onMove={point} onLeave={() => setNear(undefined)} /></div>
        <figcaption className="soft">{told ? (told.trials === 0 ? 'No trial here' : `${told.trials} ${told.trials === 1 ? 'trial' : 'trials'}, mean ${goal} ${metric(told.mean)}`) : `Blue is good, amber is bad: the mean ${goal} of the trials in each field.`}</figcaption>
      </figure>
    </section>
  );
}
export const HeatMap = memo(Drawn);
