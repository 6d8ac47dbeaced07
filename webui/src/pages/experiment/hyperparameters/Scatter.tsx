// One hyperparameter against the metric: a point for each trial.
import { memo, useMemo, useState } from 'react';
import type { Draw, Spot } from '../../../charts/Canvas';
import { Canvas, cut } from '../../../charts/Canvas';
import { metric } from '../../../lib/format';
import type { Axis, Row } from './axes';
import { placeOn, textAt, ticks } from './axes';

const kHeight = 220;
const kFrame = { left: 62, right: 14, top: 10, bottom: 30 };

const at = (point: { across: number; up: number }, width: number) => ({
  px: kFrame.left + 8 + point.across * (width - kFrame.left - kFrame.right - 16), py: kFrame.top + (1 - point.up) * (kHeight - kFrame.top - kFrame.bottom),
});

interface Props { rows: readonly Row[]; isKept: readonly boolean[]; x: Axis; y: Axis; goal: string; open: (trial: number) => void }
function Drawn({ rows, isKept, x, y, goal, open }: Props) {
  const [near, setNear] = useState<number>();
  const points = useMemo(() => rows.map((row) => {
    const across = placeOn(x, row.values[x.name]);
    const up = placeOn(y, row.metric);
    // Those of one category side by side, always in the same way.
    return across === undefined || up === undefined ? undefined : { across: x.kind === 'category' ? across + (((row.trial * 0.618) % 1) - 0.5) * 0.05 : across, up };
  }), [rows, x, y]);
  const draw = useMemo<Draw>(() => (context, width, height, ink) => {
    context.font = ink.font;
    context.fillStyle = ink.soft;
    context.strokeStyle = ink.line;
    context.textAlign = 'right';
    for (const tick of ticks(y, 4)) {
      const { py } = at({ across: 0, up: tick.at }, width);
      context.fillText(tick.text, kFrame.left - 8, py + 4);
      context.beginPath();
      context.moveTo(kFrame.left, py);
      context.lineTo(width - kFrame.right, py);
      context.stroke();
    }
    const marks = ticks(x, 4);
    const room = (width - kFrame.left - kFrame.right) / marks.length - 6;
    marks.forEach(({ at: across, text }, i) => {
      context.textAlign = i === 0 ? 'left' : i === marks.length - 1 ? 'right' : 'center';
      context.fillText(cut(context, text, room), at({ across, up: 0 }, width).px, height - 8);
    });
    for (const kept of [false, true]) {
      context.fillStyle = kept ? ink.accent : ink.soft;
      context.globalAlpha = kept ? 0.7 : 0.2;
      points.forEach((point, i) => {
        if (!point || isKept[i] !== kept) return;
        const { px, py } = at(point, width);
        context.beginPath();
        context.arc(px, py, 3.5, 0, 7);
        context.fill();
      });
    }
  }, [points, isKept, x, y]);
  const pointed = near === undefined ? undefined : points[near];
  const drawOver = useMemo<Draw>(() => (context, width, _height, ink) => {
    if (!pointed) return;
    const { px, py } = at(pointed, width);
    context.strokeStyle = ink.text;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(px, py, 6, 0, 7);
    context.stroke();
  }, [pointed]);
  const find = (spot: Spot): number | undefined => {
    let best = 14;
    let found: number | undefined;
    points.forEach((point, i) => {
      if (!point || !isKept[i]) return;
      const { px, py } = at(point, spot.width);
      const far = Math.hypot(px - spot.x, py - spot.y);
      if (far < best) { best = far; found = i; }
    });
    return found;
  };
  const told = near === undefined ? undefined : rows[near];
  return (
    <section className="card stack">
      <div className="spread"><h2>{x.name}</h2>{x.kind === 'log' && <span className="soft">logarithmic</span>}</div>
      <figure className="plot">
        <div className="canvas-frame"><Canvas label={`${goal} by ${x.name}: ${rows.length} trials`} height={kHeight} draw={draw} drawOver={drawOver} cursor={told ? 'pointer' : 'default'}
          onMove={(spot) => setNear(find(spot))} onLeave={() => setNear(undefined)} onUp={(spot) => { const i = find(spot); if (i !== undefined) open(rows[i]!.trial); }} /></div>
        <figcaption className="soft">{told ? `Trial ${told.trial} · ${textAt(x, placeOn(x, told.values[x.name]) ?? 0)} · ${goal} ${metric(told.metric)}` : ''}</figcaption>
      </figure>
    </section>
  );
}
// There are up to 24 of them.
export const Scatter = memo(Drawn);
