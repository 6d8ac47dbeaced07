import { MutationObserver, onlineManager } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { makeCache } from './cache';

afterEach(() => onlineManager.setOnline(true));

test('a browser that calls itself offline asks and changes nevertheless', async () => {
  onlineManager.setOnline(false);
  const cache = makeCache();
  expect(await cache.fetchQuery({ queryKey: ['x'], queryFn: () => Promise.resolve('answer') })).toBe('answer');
  expect(await new MutationObserver(cache, { mutationFn: () => Promise.resolve('done') }).mutate()).toBe('done');
});
