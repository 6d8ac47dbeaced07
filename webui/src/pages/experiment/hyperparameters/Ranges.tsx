// The same as dragging along the axes, by keyboard.
import type { Axis } from './axes';
import { kMetricAxis, textAt } from './axes';
import type { Brushes, Kept } from './brushes';
import { keptOf, placesOf } from './brushes';

interface Props { axes: readonly Axis[]; goal: string; brushes: Brushes; brush: (name: string, kept: Kept | undefined) => void }
export function Ranges({ axes, goal, brushes, brush }: Props) {
  return (
    <details>
      <summary>Choose ranges in numbers</summary>
      <div className="ranges">
        {axes.map((axis) => {
          const title = axis.name === kMetricAxis ? goal : axis.name;
          const kept = brushes[axis.name];
          const [low, high] = (kept && placesOf(axis, kept)) ?? [0, 1];
          const step = axis.kind === 'category' ? 1 / Math.max(1, axis.categories.length - 1) : 0.01;
          const change = (range: [number, number]) => brush(axis.name, keptOf(axis, range));
          // A slider that is drawn past the other stays with it.
          const drawn = (slider: HTMLInputElement, least: number, most: number) => {
            const value = Math.min(most, Math.max(least, Number(slider.value)));
            slider.value = String(value);
            return value;
          };
          return (
            <fieldset key={axis.name}>
              <legend>{title}</legend>
              <label>From {textAt(axis, low)}<input type="range" min={0} max={1} step={step} value={low} onChange={({ target }) => change([drawn(target, 0, high), high])} /></label>
              <label>To {textAt(axis, high)}<input type="range" min={0} max={1} step={step} value={high} onChange={({ target }) => change([low, drawn(target, low, 1)])} /></label>
            </fieldset>
          );
        })}
      </div>
    </details>
  );
}
