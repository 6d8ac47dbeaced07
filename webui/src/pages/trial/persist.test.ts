import { expect, test, vi } from 'vitest';
import { ApiError } from '../../api/client';
import { persist } from './persist';

const settle = () => new Promise((done) => setTimeout(done));
// Of work that fails with each of these in turn, and then succeeds.
function begun(...faults: Error[]) {
  const waiting: (() => void)[] = [];
  const heard: string[] = [];
  const stop = new AbortController();
  const work = vi.fn(async () => { const fault = faults.shift(); if (fault) throw fault; });
  persist(work, stop.signal, ({ message }) => heard.push(message), (next) => waiting.push(next));
  return { work, heard, waiting, stop };
}

test('the last lines are asked for again when the server was away', async () => {
  const { work, heard, waiting } = begun(new ApiError(503, 'No database.'), new ApiError(0, 'Not there.'));
  await settle();
  expect([heard, waiting.length]).toEqual([['No database.'], 1]);
  waiting.pop()!();
  await settle();
  expect([heard, waiting.length]).toEqual([['No database.', 'Not there.'], 1]);
  waiting.pop()!();
  await settle();
  expect([heard.length, waiting.length, work.mock.calls.length]).toEqual([2, 0, 3]);
});

test('what is refused, or no longer wanted, is not asked for again', async () => {
  const refused = begun(new ApiError(403, 'Not yours.'));
  await settle();
  expect([refused.heard, refused.waiting.length]).toEqual([['Not yours.'], 0]);
  const left = begun(new ApiError(503, 'No database.'));
  await settle();
  left.stop.abort();
  left.waiting.pop()!();
  expect(left.work).toHaveBeenCalledOnce();
});
