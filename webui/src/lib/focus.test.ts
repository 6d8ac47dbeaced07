import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

test('what has the keyboard when it appears says so in the way that works', () => {
  const root = new URL('../', import.meta.url);
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((name) => readFileSync(new URL(name, root), 'utf8').includes('autoFocus'))).toEqual([]);
});
