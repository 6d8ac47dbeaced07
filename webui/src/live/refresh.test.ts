import { expect, test } from 'vitest';
import { Refresher } from './refresh';

function setting() {
  let now = 0;
  let due: { at: number; work: () => void }[] = [];
  let hidden: (() => void)[] | undefined;
  const asked: string[] = [];
  const facts = { isAsking: false };
  const refresher = new Refresher(() => facts.isAsking, (topic) => asked.push(`${topic} ${now}`), {
    now: () => now, later: (milliseconds, work) => void due.push({ at: now + milliseconds, work }), whenSeen: (work) => (hidden ? void hidden.push(work) : work()),
  });
  const until = (end: number) => {
    for (;;) {
      const next = due.sort((one, other) => one.at - other.at)[0];
      if (!next || next.at > end) break;
      due = due.slice(1);
      now = next.at;
      next.work();
    }
    now = end;
  };
  return { refresher, asked, facts, until, hide: () => { hidden = []; }, show: () => { const works = hidden ?? []; hidden = undefined; works.forEach((work) => work()); } };
}

test('what changes all the time is asked for at once, then every three seconds', () => {
  const { refresher, asked, until } = setting();
  for (let at = 0; at < 5000; at += 250) { until(at); refresher.changed('experiment:1'); }
  until(10_000);
  expect(asked).toEqual(['experiment:1 0', 'experiment:1 3000', 'experiment:1 6000']);
});

test('so is the list of all experiments; others are asked for sooner', () => {
  const { refresher, asked, until } = setting();
  for (const topic of ['experiments', 'queue']) refresher.changed(topic);
  until(100);
  for (const topic of ['experiments', 'queue']) refresher.changed(topic);
  until(10_000);
  expect(asked).toEqual(['experiments 0', 'queue 0', 'queue 500', 'experiments 3000']);
});

test('an answer that is on its way is waited for, then asked for once more', () => {
  const { refresher, asked, facts, until } = setting();
  facts.isAsking = true;
  refresher.changed('queue');
  until(1000);
  expect(asked).toEqual([]);
  facts.isAsking = false;
  until(1200);
  expect(asked.length).toBe(1);
});

test('a tab that nobody sees asks when it is seen', () => {
  const { refresher, asked, until, hide, show } = setting();
  hide();
  refresher.changed('experiments');
  until(60_000);
  refresher.changed('experiments');
  expect(asked).toEqual([]);
  show();
  expect(asked).toEqual(['experiments 60000']);
});
