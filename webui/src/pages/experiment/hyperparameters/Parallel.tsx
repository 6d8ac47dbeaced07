// Parallel coordinates: an axis for each hyperparameter and one for the metric, a line for each trial. Drag along an axis to keep only
// the lines that pass there; click it to let all pass again.
import { memo, useMemo, useRef, useState } from 'react';
import type { Draw, Ink, Spot } from '../../../charts/Canvas';
import { Canvas, cut, shade } from '../../../charts/Canvas';
import { metric } from '../../../lib/format';
import type { Axis, Row } from './axes';
import { badness, kMetricAxis, placeOn, textAt, ticks } from './axes';
import type { Brushes, Kept } from './brushes';
import { isIn, keptOf, placesOf } from './brushes';

const kHeight = 400;
const kFrame = { top: 44, bottom: 16, side: 60 };
const span = kHeight - kFrame.top - kFrame.bottom;
const yOf = (at: number) => kFrame.top + (1 - at) * span;
const xOf = (index: number, count: number, width: number) => kFrame.side + (index * (width - 2 * kFrame.side)) / Math.max(1, count - 1);
const valueOn = (axis: Axis, row: Row) => (axis.name === kMetricAxis ? row.metric : row.values[axis.name]);

function drawAxis(context: CanvasRenderingContext2D, axis: Axis, title: string, x: number, room: number, ink: Ink, kept: Kept | undefined) {
  context.strokeStyle = ink.strong;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, yOf(0));
  context.lineTo(x, yOf(1));
  context.stroke();
  context.font = ink.font;
  context.textAlign = 'center';
  context.fillStyle = ink.text;
  context.fillText(cut(context, title, room), x, 16);
  context.fillStyle = ink.soft;
  context.fillText(axis.kind === 'log' ? 'log' : '', x, 30);
  context.textAlign = 'left';
  for (const { at, text } of ticks(axis)) {
    const y = yOf(at);
    const shown = cut(context, text, room - 16);
    context.fillStyle = ink.surface;
    context.globalAlpha = 0.75;
    context.fillRect(x + 4, y - 7, context.measureText(shown).width + 4, 14);
    context.globalAlpha = 1;
    context.fillStyle = ink.soft;
    context.fillText(shown, x + 6, y + 4);
    context.fillRect(x - 3, y - 0.5, 6, 1);
  }
  const brush = kept && placesOf(axis, kept);
  if (!brush) return;
  context.fillStyle = ink.accent;
  context.globalAlpha = 0.3;
  context.fillRect(x - 8, yOf(brush[1]) - 1, 16, Math.max(3, yOf(brush[0]) - yOf(brush[1]) + 2));
  context.globalAlpha = 1;
}

function trace(context: CanvasRenderingContext2D, ys: readonly (number | undefined)[], count: number, width: number) {
  context.beginPath();
  let isOn = false;
  ys.forEach((at, i) => {
    if (at === undefined) { isOn = false; return; }
    if (isOn) context.lineTo(xOf(i, count, width), yOf(at));
    else context.moveTo(xOf(i, count, width), yOf(at));
    isOn = true;
  });
  context.stroke();
}

interface Props { rows: readonly Row[]; axes: readonly Axis[]; goal: string; isSmallerBetter: boolean; brushes: Brushes; brush: (name: string, kept: Kept | undefined) => void; open: (trial: number) => void }
function Drawn({ rows, axes, goal, isSmallerBetter, brushes, brush, open }: Props) {
  const [near, setNear] = useState<number>();
  const [drag, setDrag] = useState<{ axis: number; from: number; to: number }>();
  const began = useRef(0);
  const places = useMemo(() => rows.map((row) => axes.map((axis) => placeOn(axis, valueOn(axis, row)))), [rows, axes]);
  const shown = useMemo((): Brushes => {
    if (!drag) return brushes;
    const axis = axes[drag.axis]!;
    const { [axis.name]: _before, ...rest } = brushes;
    const dragged = keptOf(axis, [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]);
    return dragged ? { ...rest, [axis.name]: dragged } : rest;
  }, [brushes, drag, axes]);
  const kept = useMemo(() => rows.map((row) => isIn(row, axes, shown)), [rows, axes, shown]);
  const draw = useMemo<Draw>(() => (context, width, _height, ink) => {
    const last = axes[axes.length - 1]!;
    context.lineWidth = 1;
    context.globalAlpha = ink.isDark ? 0.12 : 0.16;
    context.strokeStyle = ink.soft;
    places.forEach((ys, i) => { if (!kept[i]) trace(context, ys, axes.length, width); });
    context.globalAlpha = rows.length > 400 ? 0.35 : 0.75;
    context.lineWidth = rows.length > 400 ? 1 : 1.5;
    places.forEach((ys, i) => {
      if (!kept[i]) return;
      context.strokeStyle = shade(badness(last, rows[i]!.metric, isSmallerBetter), ink.isDark);
      trace(context, ys, axes.length, width);
    });
    context.globalAlpha = 1;
    const room = (width - 2 * kFrame.side) / Math.max(1, axes.length - 1) - 8;
    axes.forEach((axis, i) => drawAxis(context, axis, axis.name === kMetricAxis ? goal : axis.name, xOf(i, axes.length, width), Math.min(room, 2 * kFrame.side - 8), ink, shown[axis.name]));
  }, [axes, places, kept, rows, goal, isSmallerBetter, shown]);
  const pointed = near === undefined ? undefined : places[near];
  const drawOver = useMemo<Draw>(() => (context, width, _height, ink) => {
    if (!pointed) return;
    context.strokeStyle = ink.text;
    context.lineWidth = 3;
    trace(context, pointed, axes.length, width);
  }, [pointed, axes]);

  const axisAt = ({ x, width }: Spot) => {
    const index = axes.findIndex((_, i) => Math.abs(x - xOf(i, axes.length, width)) < 16);
    return index < 0 ? undefined : index;
  };
  const placeAt = ({ y }: Spot) => Math.min(1, Math.max(0, 1 - (y - kFrame.top) / span));
  const lineAt = ({ x, y, width }: Spot): number | undefined => {
    const part = ((x - kFrame.side) / (width - 2 * kFrame.side)) * (axes.length - 1);
    const i = Math.min(axes.length - 2, Math.max(0, Math.floor(part)));
    let best = 12;
    let found: number | undefined;
    places.forEach((ys, row) => {
      const a = ys[i];
      const b = ys[i + 1];
      if (!kept[row] || a === undefined || b === undefined) return;
      const far = Math.abs(yOf(a + (b - a) * (part - i)) - y);
      if (far < best) { best = far; found = row; }
    });
    return found;
  };
  const down = (spot: Spot) => {
    began.current = spot.y;
    const axis = axisAt(spot);
    if (axis !== undefined) setDrag({ axis, from: placeAt(spot), to: placeAt(spot) });
  };
  const move = (spot: Spot) => {
    if (drag) setDrag({ ...drag, to: placeAt(spot) });
    else setNear(lineAt(spot));
  };
  const up = (spot: Spot) => {
    if (!drag) {
      const row = lineAt(spot);
      if (row !== undefined) open(rows[row]!.trial);
      return;
    }
    const { name } = axes[drag.axis]!;
    brush(name, Math.abs(spot.y - began.current) < 4 ? undefined : shown[name]);
    setDrag(undefined);
  };
  const told = near !== undefined && rows[near];
  return (
    <figure className="plot">
      <div className="wide-chart" tabIndex={0} role="group" aria-label="Parallel coordinates"><Canvas label={`${rows.length} trials across ${axes.length - 1} hyperparameters and ${goal}`} height={kHeight} minWidth={axes.length * 105} draw={draw} drawOver={drawOver}
        cursor={drag ? 'ns-resize' : near !== undefined ? 'pointer' : 'crosshair'} onDown={down} onMove={move} onUp={up} onLeave={() => setNear(undefined)} onCancel={() => { setDrag(undefined); setNear(undefined); }} /></div>
      <figcaption className="soft">{told
        ? `Trial ${told.trial} · ${goal} ${metric(told.metric)} · ${axes.filter(({ name }) => name !== kMetricAxis).map((axis) => `${axis.name} ${textAt(axis, placeOn(axis, told.values[axis.name]) ?? 0)}`).join(' · ')}`
        : 'Drag along an axis to keep only the lines that pass there; click it to keep all again. Click a line to open its trial.'}</figcaption>
    </figure>
  );
}
// Thousands of lines take a while: only with something new of its own, not with all that the page hears.
export const Parallel = memo(Drawn);
