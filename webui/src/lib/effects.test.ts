import { options } from 'preact';
import { afterEach, expect, test, vi } from 'vitest';
import { runEffectsBeforeActs } from './effects';

const { requestAnimationFrame: usual } = options;
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  if (usual) options.requestAnimationFrame = usual;
  else delete options.requestAnimationFrame;
});

test('effects run after the next frame, or before what somebody does; once', () => {
  vi.useFakeTimers();
  const acts = new Map<string, () => void>();
  const frames: (() => void)[] = [];
  vi.stubGlobal('addEventListener', (name: string, act: () => void, how: { capture: boolean }) => { if (how.capture) acts.set(name, act); });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  runEffectsBeforeActs();
  const schedule = options.requestAnimationFrame!;
  const work = vi.fn();

  schedule(work);
  acts.get('click')!();
  expect(work).toHaveBeenCalledTimes(1);
  frames.shift()!();
  vi.runAllTimers();
  acts.get('keydown')!();
  expect(work).toHaveBeenCalledTimes(1);

  schedule(work);
  schedule(work);  // what is due runs all
  frames.shift()!();
  expect(work).toHaveBeenCalledTimes(1);
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(2);

  schedule(work);  // in a tab that nobody sees
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(3);
});
