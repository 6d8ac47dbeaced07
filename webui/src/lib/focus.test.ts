import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
const having = (words: string) => sources.filter((name) => readFileSync(new URL(name, root), 'utf8').includes(words));

test('what has the keyboard when it appears says so in the way that works', () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(having('autoFocus')).toEqual([]);
});

test('what is no prose is kept from spell checkers by a text: `false` would take the attribute away', () => {
  expect(having('spellCheck="false"').length).toBeGreaterThan(3);
  expect(having('spellCheck={')).toEqual([]);
});
