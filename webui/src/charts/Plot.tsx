// uPlot in React: drawn anew when the curves change, with the part that was zoomed into; pointing at a curve names it. A chunk of its own.
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { metric, tick } from '../lib/format';
import type { Curve, XAxis } from './curves';
import { aligned, colour } from './curves';

// From and to on the x axis.
export type Zoom = readonly [number, number];
// `onZoom` hears of the part that a person zooms into, undefined for all of it: curves with more points of it may follow.
interface Props { label: string; curves: readonly Curve[]; axis: XAxis; weight: number; isLog: boolean; onZoom?: (zoom: Zoom | undefined) => void }

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
  useEffect(() => {
    const changed = () => setThemes((count) => count + 1);
    addEventListener('themechange', changed);
    return () => removeEventListener('themechange', changed);
  }, []);

  useEffect(() => {
    const frame = place.current!;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--text-soft').trim();
    const line = { stroke: style.getPropertyValue('--line').trim(), width: 1 };
    const isDark = document.documentElement.dataset['theme'] === 'dark';
    const data = aligned(curves, axis, weight, isLog);
    if (zoom.current?.axis !== axis) zoom.current = undefined;
    const part = zoom.current?.part;
    const axes = { stroke: ink, grid: line, ticks: line, font: `12px ${style.getPropertyValue('--font')}` };
    const plot = new uPlot({
      width: frame.clientWidth, height: 320, legend: { show: false },
      scales: { x: { time: axis === 'time' }, y: isLog ? { distr: 3 } : {} },
      axes: [axes, { ...axes, size: 64, values: (_plot, ticks) => ticks.map((at) => (at === null ? '' : tick(at))) }],
      focus: { alpha: 0.25 },
      cursor: { focus: { prox: 24 }, points: { size: 7, one: true } },  // one: of the curve pointed at; hundreds of marks are slow, and hide the curves
      series: [{}, ...curves.map(({ name, xs }, i) => ({
        label: name, stroke: colour(i, isDark), width: 1.75, spanGaps: true, points: { show: xs.length < 40 && curves.length <= kMostNamed, size: 6 },
      }))],
      hooks: {
        setSelect: [(self) => {
          const { left, width } = self.select;
          if (width <= 0) return;
          zoom.current = { axis, part: [self.posToVal(left, 'x'), self.posToVal(left + width, 'x')] };
          tell.current?.(zoom.current.part);
        }],
        setSeries: [(self, index) => {
          const at = self.cursor.idx;
          if (index === null || at === null || at === undefined) return setTold('');
          const value = self.data[index]?.[at];
          const x = axis === 'batches' ? `batch ${self.data[0][at]}` : new Date((self.data[0][at] ?? 0) * 1000).toLocaleString();
          setTold(`${curves[index - 1]?.name ?? ''} · ${x} · ${metric(value)}`);
        }],
      },
    }, data as uPlot.AlignedData, frame);
    if (part) plot.setScale('x', { min: part[0], max: part[1] });
    const whole = () => { zoom.current = undefined; tell.current?.(undefined); };
    plot.over.addEventListener('dblclick', whole);
    const size = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height: 320 }));
    size.observe(frame);
    return () => { size.disconnect(); plot.destroy(); };
  }, [curves, axis, weight, isLog, themes]);

  return (
    <figure className="plot">
      <div className="chart" ref={place} role="img" aria-label={`${label}: ${curves.length === 1 ? 'one curve' : `${curves.length} curves`}`} />
      {curves.length > 1 && curves.length <= kMostNamed && <Names curves={curves} />}
      <figcaption className="soft number">{told || (curves.length > 1 ? 'Point at a curve to see whose it is; drag to zoom, double click to see all.' : 'Drag to zoom, double click to see all.')}</figcaption>
    </figure>
  );
}
