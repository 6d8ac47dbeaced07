import { expect, test } from 'vitest';
import { Looks } from './looks';

function world() {
  const waiting: (() => void)[] = [];
  const ends: (() => void)[] = [];
  const looks = new Looks(() => new Promise<void>((end) => ends.push(end)), (work) => waiting.push(work));
  const settle = () => new Promise((done) => setTimeout(done));
  return { looks, waiting, ends, settle };
}

test('news that never pause do not put a look off', async () => {
  const { looks, waiting, ends, settle } = world();
  for (let i = 0; i < 10; i += 1) looks.want();
  expect(waiting.length).toBe(1);
  waiting[0]!();
  looks.want();
  looks.want();
  expect([waiting.length, ends.length]).toEqual([1, 1]);
  ends[0]!();
  await settle();
  expect(waiting.length).toBe(2);
  waiting[1]!();
  ends[1]!();
  await settle();
  expect(waiting.length).toBe(2);
});

test('nothing is looked at after the end', () => {
  const { looks, waiting, ends } = world();
  looks.want();
  looks.stop();
  waiting[0]!();
  looks.want();
  expect([waiting.length, ends.length]).toEqual([1, 0]);
});
