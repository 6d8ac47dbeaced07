// A canvas, and one above it for what is pointed at: each is drawn anew when its size, the theme or what it shows changes. Thousands of marks stay quick, where elements would not.
import type { PointerEvent, RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { watchTheme } from '../lib/theme';

export interface Ink { text: string; soft: string; line: string; strong: string; accent: string; surface: string; font: string; isDark: boolean }
export interface Spot { x: number; y: number; width: number; height: number }
export type Draw = (context: CanvasRenderingContext2D, width: number, height: number, ink: Ink) => void;

function inkNow(): Ink {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: of('--text'), soft: of('--text-soft'), line: of('--line'), strong: of('--line-strong'), accent: of('--accent'), surface: of('--surface'),
    font: `12px ${of('--font')}`, isDark: document.documentElement.dataset['theme'] === 'dark',
  };
}

// Drawn anew when one of these is another; setting the size of a canvas wipes it.
function useDrawn(place: RefObject<HTMLCanvasElement | null>, draw: Draw | undefined, width: number, height: number, themes: number): void {
  useEffect(() => {
    const canvas = place.current;
    if (!canvas || !draw) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    if (width > 0) draw(context, width, height, inkNow());
  }, [place, draw, width, height, themes]);
}

interface Props {
  label: string; height: number; draw: Draw; drawOver?: Draw; minWidth?: number; cursor?: string;
  onDown?: (spot: Spot) => void; onMove?: (spot: Spot) => void; onUp?: (spot: Spot) => void; onLeave?: () => void; onCancel?: () => void;
}
// `onCancel`: the browser took the pointer for itself, such as to scroll; `onUp` does not come then.
// `draw` and `drawOver` must be the same functions while they would draw the same. What follows the pointer is for `drawOver`: the rest stays as it is.
export function Canvas({ label, height, draw, drawOver, minWidth = 0, cursor = 'default', onDown, onMove, onUp, onLeave, onCancel }: Props) {
  const place = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const [themes, setThemes] = useState(0);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const unwatch = watchTheme(() => setThemes((count) => count + 1));
    const size = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    size.observe(place.current!.parentElement!);
    return () => { unwatch(); size.disconnect(); };
  }, []);
  const whole = Math.max(width, minWidth);
  useDrawn(place, draw, whole, height, themes);
  useDrawn(above, drawOver, whole, height, themes);
  const spot = (event: PointerEvent<HTMLCanvasElement>): Spot => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: whole, height };
  };
  return (
    <div className="canvas-place">
      <canvas ref={place} role="img" aria-label={label} className="canvas" style={{ width: whole, height, cursor }}
        onPointerDown={(event) => { if (onDown) { event.currentTarget.setPointerCapture(event.pointerId); onDown(spot(event)); } }}
        onPointerMove={(event) => onMove?.(spot(event))} onPointerUp={(event) => onUp?.(spot(event))} onPointerLeave={onLeave} onPointerCancel={onCancel} />
      {drawOver && <canvas ref={above} aria-hidden className="canvas-over" style={{ width: whole, height }} />}
    </div>
  );
}

// From the best (0) to the worst (1) of a metric: blue to amber, which people who see few colours tell apart, too.
export function shade(part: number, isDark: boolean): string {
  const t = Math.min(1, Math.max(0, part));
  return t < 0.5 ? `hsl(${232 - 20 * t} ${80 - 60 * t}% ${(isDark ? 68 : 48) + 8 * t}%)` : `hsl(36 ${20 + 140 * (t - 0.5)}% ${(isDark ? 62 : 52) - 8 * (t - 0.5)}%)`;
}

// `text` cut to `width` pixels.
export function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && context.measureText(text.slice(0, length) + '…').width > width) length -= 1;
  return text.slice(0, length) + '…';
}
