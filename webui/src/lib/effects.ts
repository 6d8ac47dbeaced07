// Preact runs effects after the next frame. On a busy machine somebody clicks before it, and what an effect had yet to do is old: the function of a
// mutation, which TanStack puts in place in one, would send what was chosen before. So effects run before what a person does, as React has it.
import { options } from 'preact';

const kActs = ['pointerdown', 'click', 'keydown', 'input', 'change', 'submit'];
const kUnseenMs = 35;  // a tab that nobody sees has no frames
let due: (() => void) | undefined;

// Once, before anything is drawn.
export function runEffectsBeforeActs(): void {
  options.requestAnimationFrame = (work) => {
    if (due) return;  // that runs these, too
    const run = () => {
      if (due !== run) return;
      due = undefined;
      work();
    };
    due = run;
    const unseen = setTimeout(run, kUnseenMs);
    requestAnimationFrame(() => {
      clearTimeout(unseen);
      setTimeout(run);
    });
  };
  for (const act of kActs) addEventListener(act, () => due?.(), { capture: true });
}
