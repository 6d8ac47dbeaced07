// uPlot in React: made anew when other curves are to be drawn, and given the points when those change. The part that was zoomed into stays;
// pointing at a curve names it. A chunk of its own.
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { tick } from '../lib/format';
import { watchTheme } from '../lib/theme';
import { drawLines, linesOf, nearest, spanOf } from './bundle';
import type { Column, Curve, XAxis } from './curves';
import { aligned, alone, colour, countGaps, gapWords } from './curves';
import { readout, readoutOf } from './readout';

// From and to on the x axis.
export type Zoom = readonly [number, number];
// `onZoom` hears of the part that a person zooms into, undefined for all of it: curves with more points of it may follow.
interface Props { label: string; curves: readonly Curve[]; axis: XAxis; weight: number; isLog: boolean; onZoom?: (zoom: Zoom | undefined) => void }

const kWhole = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((times) => times * 10 ** power)).flat();  // between ticks: there is no half batch
const kMostMarked = 40;  // points of a curve that has a mark on each
const kNear = 24;  // pixels: what is farther from the pointer is not meant
const kMostSeries = 50;  // curves that are uPlot's own series; more have thin lines, which hide each other less, and are drawn by bundle.ts
const kUnseen: uPlot.Series = { paths: () => null, points: { show: false } };
const kMostNamed = 12;  // curves that are named below the chart; more are told apart by pointing at them

function Names({ curves }: { curves: readonly Curve[] }) {
  const isDark = document.documentElement.dataset['theme'] === 'dark';
  return (
    <ul className="curve-names" aria-label="Curves">
      {curves.map(({ name }, i) => <li key={`${i} ${name}`}><span className="swatch" style={{ background: colour(i, isDark) }} />{name}</li>)}
    </ul>
  );
}

export default function Plot({ label, curves, axis, weight, isLog, onZoom }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const zoom = useRef<{ axis: XAxis; part: Zoom }>(undefined);
  const tell = useRef(onZoom);
  tell.current = onZoom;
  const [told, setTold] = useState('');
  const [themes, setThemes] = useState(0);
  const isBundle = curves.length > kMostSeries;
  const lines = useMemo(() => (isBundle ? linesOf(curves, weight, isLog) : []), [isBundle, curves, weight, isLog]);
  const data = useMemo(() => (isBundle ? spanOf(lines) : aligned(curves, axis, weight, isLog)), [isBundle, lines, curves, axis, weight, isLog]);
  const gaps = useMemo(() => countGaps(curves), [curves]);
  const names = curves.map(({ name }) => name).join('\n');
  // What is drawn now; the functions that uPlot calls read it there.
  const plot = useRef<uPlot>(undefined);
  const drawn = useRef({ curves, data, lines });
  const begun = useRef(drawn.current);
  begun.current = { curves, data, lines };
  useEffect(() => watchTheme(() => setThemes((count) => count + 1)), []);

  useEffect(() => {
    const frame = place.current!;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--text-soft').trim();
    const line = { stroke: style.getPropertyValue('--line').trim(), width: 1 };
    const isDark = document.documentElement.dataset['theme'] === 'dark';
    if (zoom.current?.axis !== axis) zoom.current = undefined;
    const part = zoom.current?.part;
    const axes = { stroke: ink, grid: line, ticks: line, font: `12px ${style.getPropertyValue('--font')}` };
    drawn.current = begun.current;
    setTold('');
    let focused: number | null = null;
    // Between its ends a curve is read at its nearest point; behind them it is not there.
    const reach = (self: uPlot, index: number, at: number): number => {
      const xs = drawn.current.curves[index - 1]?.xs ?? [];
      const x = self.data[0][at] ?? NaN;
      return x >= (xs[0] ?? NaN) && x <= (xs[xs.length - 1] ?? NaN) ? Infinity : kNear;
    };
    const colours = drawn.current.curves.map((_curve, i) => colour(i, isDark));
    const mark = document.createElement('div');
    mark.className = 'curve-mark';
    mark.hidden = true;
    // Of a bundle: what is pointed at.
    const point = (self: uPlot): string => {
      const { left = -1, top = -1 } = self.cursor;
      const x = self.posToVal(left, 'x');
      const found = left < 0 ? undefined : nearest(drawn.current.lines, x, (value) => Math.abs(self.valToPos(value, 'y') - top), kNear, Math.abs(self.posToVal(left + kNear, 'x') - x));
      mark.hidden = !found;
      if (focused !== (found?.line ?? null)) {
        focused = found?.line ?? null;
        self.redraw(false, false);
      }
      if (!found) return '';
      const { name, xs, ys } = drawn.current.lines[found.line]!;
      const [at, value] = [xs[found.at]!, ys[found.at]!];
      if (value === null) return '';
      mark.style.background = colours[found.line]!;
      mark.style.transform = `translate(${self.valToPos(at, 'x')}px, ${self.valToPos(value, 'y')}px)`;
      return readoutOf(name, at, value, axis);
    };
    const made = new uPlot({
      width: frame.clientWidth, height: 320, legend: { show: false },
      scales: { x: { time: axis === 'time' }, y: isLog ? { distr: 3 } : {} },
      axes: [axis === 'batches' ? { ...axes, incrs: kWhole } : axes, { ...axes, size: 64, values: (_plot, ticks) => ticks.map((at) => (at === null ? '' : tick(at))) }],
      focus: { alpha: 0.25 },
      cursor: isBundle ? { points: { show: false } } : { focus: { prox: kNear }, hover: { prox: reach }, points: { size: 7, one: true } },  // one: of the curve pointed at; hundreds of marks are slow, and hide the curves
      series: isBundle ? [{}, kUnseen, kUnseen] : [{}, ...drawn.current.curves.map(({ name }, i) => ({
        label: name, stroke: colours[i]!, width: 1.75,
        points: {
          show: () => drawn.current.curves.length <= kMostNamed && (drawn.current.curves[i]?.xs.length ?? 0) < kMostMarked, size: 6,
          filter: (self: uPlot, index: number, isShown: boolean) => (isShown ? null : alone(self.data[index] as Column)),
        },
      }))],
      hooks: {
        setSelect: [(self) => {
          const { left, width } = self.select;
          if (width <= 0) return;
          zoom.current = { axis, part: [self.posToVal(left, 'x'), self.posToVal(left + width, 'x')] };
          tell.current?.(zoom.current.part);
        }],
        setSeries: [(_self, index) => { if (!isBundle) focused = index; }],
        // It comes behind setSeries, with each move and when there are new points.
        setCursor: [(self) => setTold(isBundle ? point(self)
          : readout(drawn.current.curves, drawn.current.data, axis, focused, focused === null ? null : self.cursor.idxs?.[focused]))],
        draw: [(self) => { if (isBundle) drawLines(self, drawn.current.lines, isLog, colours, focused, uPlot.pxRatio); }],
      },
    }, drawn.current.data as uPlot.AlignedData, frame);
    plot.current = made;
    if (isBundle) made.over.append(mark);
    if (part) made.setScale('x', { min: part[0], max: part[1] });
    const whole = () => { zoom.current = undefined; tell.current?.(undefined); };
    made.over.addEventListener('dblclick', whole);
    // It is told at once, too; setSize draws everything again, even where nothing changed.
    const size = new ResizeObserver(() => { if (frame.clientWidth !== made.width) made.setSize({ width: frame.clientWidth, height: 320 }); });
    size.observe(frame);
    return () => { size.disconnect(); made.destroy(); };
  }, [names, isBundle, axis, isLog, themes]);

  useEffect(() => {
    if (drawn.current.data === data) return;
    drawn.current = { curves, data, lines };
    const part = zoom.current?.part;
    plot.current!.setData(data as uPlot.AlignedData, !part);
    if (part) plot.current!.setScale('x', { min: part[0], max: part[1] });
  }, [curves, data, lines]);

  return (
    <figure className="plot">
      <div className="chart" ref={place} role="img" aria-label={`${label}: ${curves.length === 1 ? 'one curve' : `${curves.length} curves`}`} />
      {curves.length > 1 && curves.length <= kMostNamed && <Names curves={curves} />}
      {gaps > 0 && <p className="soft">{gapWords(gaps)}</p>}
      <figcaption className="soft number">{told || (curves.length > 1 ? 'Point at a curve to see whose it is; drag to zoom, double click to see all.' : 'Drag to zoom, double click to see all.')}</figcaption>
    </figure>
  );
}
