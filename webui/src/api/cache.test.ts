import { MutationObserver, onlineManager } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { makeCache } from './cache';
import { ApiError } from './client';

afterEach(() => onlineManager.setOnline(true));

test('a browser that calls itself offline asks and changes nevertheless', async () => {
  onlineManager.setOnline(false);
  const cache = makeCache();
  expect(await cache.fetchQuery({ queryKey: ['x'], queryFn: () => Promise.resolve('answer') })).toBe('answer');
  expect(await new MutationObserver(cache, { mutationFn: () => Promise.resolve('done') }).mutate()).toBe('done');
});

const asked = async (status: number): Promise<number> => {
  vi.useFakeTimers();
  try {
    let times = 0;
    const answer = makeCache().fetchQuery({ queryKey: ['x'], retry: makeCache().getDefaultOptions().queries?.retry ?? false,
      queryFn: () => { times += 1; return Promise.reject(new ApiError(status, 'no')); } });
    await Promise.all([expect(answer).rejects.toThrow('no'), vi.runAllTimersAsync()]);
    return times;
  } finally {
    vi.useRealTimers();
  }
};

test('what was refused is not asked for again, what came too often or broke is', async () => {
  expect(await asked(400)).toBe(1);
  expect(await asked(429)).toBe(3);
  expect(await asked(502)).toBe(3);
});
