import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { workspacesTo } from './actions/move';
import { problems } from './actions/problems';
import { readTabSearch } from './address';
import { Since } from './code/CodeTab';
import { changesOf, firstFile, treeOf } from './code/tree';
import { askedAlone, firstLog } from './first-log';
import type { TrialLine } from './merged';
import { looked, meets, together, withNewest, withOlder } from './merged';
import { missingWords } from './missing';
import { sortedTrials } from './sort';

test('an address keeps only what is right in it', () => {
  const brush = { lr: { min: 0.1 }, net: { from: 'a', to: 'b', more: 1 }, bad: [0, 0.5], none: {}, text: { min: 'x' }, half: { from: 'a' }, worse: 'x' };
  expect(readTabSearch({ page: 2, trial: 0, file: 'a/b.py', view: 'diff', brush, other: 1 }))
    .toEqual({ page: 2, file: 'a/b.py', view: 'diff', brush: { lr: { min: 0.1 }, net: { from: 'a', to: 'b' } } });
  expect(readTabSearch({ page: -1, trial: 1.5, file: 7, view: '<script>', brush: [], all: 'yes' })).toEqual({});
  expect(readTabSearch({ all: true, q: 'x' })).toEqual({ all: true, q: 'x' });
  expect(readTabSearch({ metric: 'validation.loss', axis: 'time', sort: 'hp.lr=desc' })).toEqual({ metric: 'validation.loss', axis: 'time', sort: 'hp.lr=desc' });
  expect(readTabSearch({ metric: 7, axis: 'batches', sort: 'id', goal: 7, best: 'worst' })).toEqual({});
  expect(readTabSearch({ goal: 'loss', best: 'largest' })).toEqual({ goal: 'loss', best: 'largest' });
});

test('what the server says of a configuration is one fault a line, with where it is', () => {
  expect(problems('invalid experiment configuration: <config>.entrypoint: is missing\n<config>.searcher.name: unknown (line 2)\n'))
    .toEqual([{ message: 'entrypoint: is missing', line: undefined }, { message: 'searcher.name: unknown (line 2)', line: 2 }]);
});

test('an experiment is moved to what is not archived; where it is stays among the choices', () => {
  const all = [{ id: 1 }, { id: 2, archived: true }, { id: 3, archived: true }] as Parameters<typeof workspacesTo>[0];
  expect(workspacesTo(all, 3).map(({ id }) => id)).toEqual([1, 3]);
});

describe('code', () => {
  const file = (path: string, text: string) => ({ path, content: new TextEncoder().encode(text) });
  test('is a tree of folders', () => {
    const { folders, files } = treeOf(['train.py', 'lib/a.py', 'lib/deep/b.py']);
    expect(files.map(({ path }) => path)).toEqual(['train.py']);
    expect(folders[0]).toMatchObject({ name: 'lib', files: [{ path: 'lib/a.py' }], folders: [{ path: 'lib/deep', files: [{ name: 'b.py' }] }] });
  });
  test('begins with a program that says something', () => {
    expect(firstFile([file('README', 'x'), file('lib/__init__.py', ''), file('lib/a.py', 'x'), file('train.py', 'x')])).toBe('train.py');
    expect(firstFile([file('README', 'x')])).toBe('README');
  });
  test('says what changed since the origin, or why that is not known', () => {
    const said = (changed: number | undefined, error: Error | null) =>
      renderToStaticMarkup(createElement(Since, { parent: 3, changed, error }));
    expect(said(0, null)).toContain('The same as in experiment 3.');
    expect(said(2, null)).toContain('2 changed since experiment 3.');
    expect(said(undefined, null)).toBe('');
    expect(said(undefined, new Error('gone'))).toContain('What changed since experiment 3 cannot be shown: gone');
  });
  test('has changed where bytes differ', () => {
    const changes = changesOf([file('same', 'x'), file('gone', 'x'), file('new', 'x')], [file('same', 'x'), file('new', 'y'), file('more', '')]);
    expect([...changes]).toEqual([['new', 'changed'], ['more', 'added'], ['gone', 'removed']]);
  });
});

test('the log that says most is shown first', () => {
  const trial = (id: number, state: 'STATE_COMPLETED' | 'STATE_ERROR' | 'STATE_RUNNING', restarts = 0) => ({ id, state, restarts });
  expect(firstLog([trial(3, 'STATE_COMPLETED'), trial(2, 'STATE_ERROR'), trial(1, 'STATE_RUNNING')])).toBe(2);
  expect(firstLog([trial(3, 'STATE_COMPLETED'), trial(2, 'STATE_COMPLETED', 1), trial(1, 'STATE_RUNNING')])).toBe(2);
  expect(firstLog([trial(3, 'STATE_COMPLETED'), trial(1, 'STATE_RUNNING')])).toBe(1);
  expect(firstLog([])).toBeUndefined();
});

test('a trial that is not among the newest is asked for by itself', () => {
  expect([askedAlone(7, [{ id: 9 }, { id: 8 }]), askedAlone(8, [{ id: 9 }, { id: 8 }]), askedAlone(7, undefined), askedAlone(undefined, [])]).toEqual([7, undefined, undefined, undefined]);
});

describe('the logs of all trials', () => {
  const line = (trial: number, id: number, second: number): TrialLine => ({ trial, id: String(id), time: `2026-11-26T02:00:${String(second).padStart(2, '0')}.000000Z`, level: '', text: '' });
  test('are in the order of time, then of trials and of numbers, each line once', () => {
    const found = together([line(1, 9, 1), line(1, 10, 3)], [line(2, 1, 2), line(1, 10, 3), line(2, 2, 3), line(1, 11, 3)]);
    expect(found.map(({ trial, id }) => `${trial}:${id}`)).toEqual(['1:9', '2:1', '1:10', '1:11', '2:2']);
  });
  test('have a gap where the newest lines and those that are there have none in common', () => {
    expect(meets([line(1, 1, 1)], [line(1, 1, 1), line(1, 2, 2)])).toBe(true);
    expect(meets([line(1, 1, 1)], [line(2, 1, 1)])).toBe(false);
  });
  test('are asked for again where newer ones have pushed the oldest out', () => {
    const some = [line(1, 1, 1), line(1, 2, 2), line(1, 3, 3)];
    expect(withNewest(some, [line(1, 3, 3)], 3)).toEqual({ lines: some });
    const first = line(1, 2, 2);
    expect(withNewest(some, [line(1, 4, 4)], 3)).toEqual({ lines: [first, line(1, 3, 3), line(1, 4, 4)], next: `${first.time},1,2` });
  });
  test('stay for who reads them when more came than one look takes; who looks at the end gets the newest', () => {
    const some = { lines: [line(1, 1, 1)], isEnd: true };
    const newest = { lines: [line(1, 8, 8), line(1, 9, 9)], next: 'older' };
    expect(looked(some, newest, true)).toEqual({ ...newest, isEnd: true });
    expect(looked(some, newest, false)).toEqual({ lines: some.lines, isEnd: false });
    expect(looked({ lines: [], isEnd: true }, newest, false)).toEqual({ ...newest, isEnd: true });
    expect(looked(some, { ...newest, next: undefined }, false)).toMatchObject({ lines: [...some.lines, ...newest.lines], isEnd: true });
  });
  test('are not at their end once older ones have pushed the newest out', () => {
    const some = { lines: [line(1, 3, 3), line(1, 4, 4)], isEnd: true };
    expect(withOlder(some, [line(1, 2, 2)], 3)).toEqual({ lines: [line(1, 2, 2), line(1, 3, 3), line(1, 4, 4)], isEnd: true });
    const pushed = withOlder(some, [line(1, 1, 1), line(1, 2, 2)], 3);
    expect(pushed).toEqual({ lines: [line(1, 1, 1), line(1, 2, 2), line(1, 3, 3)], isEnd: false });
    expect(withOlder(pushed, [], 3).isEnd).toBe(false);
  });
});

test('a table of some of the trials says that it is one, and why', () => {
  const some = { shown: 100, total: 3000, isAll: false, error: null };
  expect(missingWords(some)).toMatch(/^The newest 100 of 3,000 trials; .* until the others are loaded\.$/);
  expect(missingWords({ ...some, error: new Error('No database.') })).toMatch(/could not be loaded: No database\.$/);
  expect(missingWords({ ...some, shown: 10_000, total: 12_000, isAll: true })).toBe('The newest 10,000 of 12,000 trials.');
  expect(missingWords({ ...some, total: 100 })).toBeUndefined();
});

test('a trial that diverged is neither the best nor the worst', () => {
  const trials = [{ id: 1, searcherMetricValue: 'NaN' }, { id: 2, searcherMetricValue: 0.5 }, { id: 3, searcherMetricValue: '-Infinity' }, { id: 4, searcherMetricValue: 0.1 }] as Parameters<typeof sortedTrials>[0];
  expect(sortedTrials(trials, 'searcherMetricValue', false).map(({ id }) => id)).toEqual([4, 2, 1, 3]);
  expect(sortedTrials(trials, 'searcherMetricValue', true).map(({ id }) => id)).toEqual([2, 4, 1, 3]);
});
