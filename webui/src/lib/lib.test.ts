import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { errorText } from '../api/client';
import { reasonQuery } from '../api/sections';
import { aligned, smoothed } from '../charts/curves';
import { firstMetric } from '../charts/first';
import { keyOf } from '../live/client';
import { csv } from '../pages/experiments/csv';
import { filterText, nextSort, readSearch } from '../pages/experiments/search';
import { askedPart } from '../pages/experiment/part';
import { readSort, sortedTrials, sortText } from '../pages/experiment/sort';
import { flatTrials, varied } from '../pages/experiment/varied';
import type { Line, Part } from '../pages/trial/window';
import { before, behind, caughtUp, kMost, moved } from '../pages/trial/window';
import { pieces } from './ansi';
import { ago, bytes, clock, duration, earlierDay, grouped, metric, whole } from './format';
import { Markdown, safeLink } from './markdown';
import { safeNext, signOnHref } from './next';
import { actionsOf } from './state';

describe('address', () => {
  test('takes only what it understands', () => {
    expect(readSearch({ q: 7, state: 'NONE', sort: 'id;drop', archived: 'x', cols: 'id.<b>', user: '1' })).toEqual({ q: '7' });
    expect(readSearch({ state: 'ERROR', sort: 'name=asc', archived: true, cols: ['id', 'name'] })).toEqual({ state: 'ERROR', sort: 'name=asc', archived: true, cols: ['id', 'name'] });
  });
  test('leads to no other server after signing in', () => {
    for (const evil of ['//evil', '/\\evil', 'https://evil', 'javascript:alert(1)', '/x\n', '/sign-in?next=/', undefined]) expect(safeNext(evil)).toBe('/');
    expect(safeNext('/experiments?q=a')).toBe('/experiments?q=a');
    const back = (next?: string) => new URL(signOnHref(new URL('https://host/det/oidc/sso'), next, 'https://host/det/ui/')).searchParams.get('relayState');
    expect([back('/experiments?q=a b'), back('//evil'), back()]).toEqual(['/det/ui/experiments?q=a%20b', '/det/ui/', '/det/ui/']);
  });
  test('sorts the other way the second time', () => {
    expect(nextSort('id=desc', 'id')).toBe('id=asc');
    expect(nextSort('id=asc', 'name')).toBe('name=desc');
  });
});

test('a filter quotes what was typed', () => {
  const { filterGroup, showArchived } = JSON.parse(filterText({ q: '"12' }));
  expect(filterGroup.children[0].children.map(({ value }: { value: unknown }) => value)).toEqual(['"12', '"12', '"12']);
  expect(showArchived).toBe(false);
  expect(JSON.parse(filterText({ q: '12' })).filterGroup.children[0].children[3]).toMatchObject({ columnName: 'id', value: 12 });
});

test('topics are the beginnings of keys', () => {
  expect(keyOf('experiments')).toEqual(['experiments']);
  expect(keyOf('trial:7')).toEqual(['trial', 7]);
  expect(keyOf('logs:7.ab')).toEqual(['logs', '7.ab']);
});

test('ANSI colours become classes, other escapes vanish', () => {
  expect(pieces('a\x1b[1;31mred\x1b[0m b\x1b[2K\x1b]0;title\x07')).toEqual([
    { text: 'a', classes: '' }, { text: 'red', classes: 'ansi-bold ansi-red' }, { text: ' b', classes: '' }]);
  expect(pieces('\x1b[38;5;31mx')).toEqual([{ text: 'x', classes: '' }]);
  expect(pieces('<b>')).toEqual([{ text: '<b>', classes: '' }]);
});

describe('curves', () => {
  test('smoothing begins at the first value and keeps gaps', () => {
    expect(smoothed([2, null, 2], 0.9).map((value) => value && Number(value.toFixed(6)))).toEqual([2, null, 2]);
    expect(smoothed([0, 1], 0.5)[1]).toBeCloseTo(2 / 3);
    expect(smoothed([1, 5], 0)).toEqual([1, 5]);
  });
  test('share their x values', () => {
    const curves = [{ name: 'a', xs: [1, 3], ys: [5, 0] }, { name: 'b', xs: [2], ys: [7] }];
    expect(aligned(curves, 'batches', 0, false)).toStrictEqual([[1, 2, 3], [5, undefined, 0], [undefined, 7, undefined]]);
    expect(aligned(curves, 'batches', 0, true)[1]).toEqual([5, null, null]);
  });

  test('a part that is zoomed into is asked for with a margin, and never all of it by mistake', () => {
    expect(askedPart(undefined)).toBeUndefined();
    expect(askedPart([100, 200])).toEqual([90, 210]);
    expect(askedPart([-5, 0])).toEqual([0, 1]);
  });

  test('many curves whose points stand elsewhere have few columns, and lose none of their ends', () => {
    const many = Array.from({ length: 200 }, (_, one) => ({
      name: String(one), xs: Array.from({ length: 100 }, (__, i) => (i === 99 ? 10_000 : 1 + i * 100 + (one % 97))), ys: Array.from({ length: 100 }, (__, i) => one + i),
    }));
    const [xs, ...ys] = aligned(many, 'batches', 0, false);
    expect(xs.length).toBeLessThan(1502);
    expect([xs[0], xs.at(-1)]).toEqual([1, 10_000]);
    expect(xs.every(Number.isInteger)).toBe(true);
    expect(ys.every((values, one) => values.at(-1) === one + 99)).toBe(true);
    expect(ys[0]!.filter((value) => typeof value === 'number').length).toBe(100);
  });
});

describe('the window of a log', () => {
  const lines = (first: number, count: number): Line[] => Array.from({ length: count }, (_, i) => ({ id: String(first + i), time: '', level: '', text: '' }));
  const whole = (all: Line[]): Part => ({ lines: all, isBegin: true, isEnd: true });
  test('takes each line once', () => {
    expect(behind(whole(lines(0, 3)), lines(2, 2)).lines.map(({ id }) => id)).toEqual(['0', '1', '2', '3']);
    expect(before(whole(lines(2, 2)), lines(0, 3), true).lines.map(({ id }) => id)).toEqual(['0', '1', '2', '3']);
  });
  test('is never longer than its limit, and says which of its ends is gone', () => {
    const followed = behind(whole(lines(0, kMost)), lines(kMost, 5));
    expect([followed.lines[0]!.id, followed.isBegin, followed.isEnd]).toEqual(['5', false, true]);
    const read = before(whole(lines(5, kMost)), lines(0, 5), true);
    expect([read.lines.length, read.isBegin, read.isEnd]).toEqual([kMost, true, false]);
    expect(behind(whole(lines(0, 3)), lines(3, 2))).toMatchObject({ isBegin: true, isEnd: true });
    expect(behind({ ...whole(lines(0, 3)), isEnd: false }, lines(3, 2), true).isEnd).toBe(true);
  });
  test('is followed on after a while when the newest lines meet it, and else begins anew for who looks at the end', () => {
    const part = { ...whole(lines(0, 3)), isBegin: false };
    expect(caughtUp(part, lines(2, 10), false, true)).toBe(part);
    expect(caughtUp(part, lines(5, 10), true, false)).toBe(part);  // all there is: no more than that is to come
    expect(caughtUp(part, lines(90, 10), false, true)).toEqual({ lines: lines(90, 10), isBegin: false, isEnd: true });
    expect(caughtUp(part, lines(90, 10), false, false)).toEqual({ ...part, isEnd: false });
    expect(caughtUp(whole([]), lines(90, 10), false, false).lines).toEqual(lines(90, 10));
  });
  test('moves under what one reads by as many lines as come or go before it', () => {
    const by = (old: Line[], now: Line[], top: number) => moved(old, now, top, ({ id }) => id);
    expect(by(lines(0, 10), lines(3, 10), 5)).toBe(-3);
    expect(by(lines(7, 10), lines(0, 17), 0)).toBe(7);
    expect(by(lines(0, 10), lines(0, 12), 5)).toBe(0);
    expect(by(lines(0, 10), lines(90, 10), 5)).toBe(0);
  });
});

test('CSV quotes, and is no formula', () => {
  expect(csv([['a,"b"', '=1+1', -1, null]])).toBe('"a,""b""",\'=1+1,-1,\r\n');
});

test('links of notes run no script', () => {
  for (const evil of ['javascript:alert(1)', 'data:text/html,x', ' javascript:x', '//evil', 'vbscript:x']) expect(safeLink(evil)).toBeUndefined();
  expect(safeLink('https://example.org')).toBe('https://example.org');
});

test('notes of which nothing closes are read in one go', () => {
  const shown = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));
  for (const text of ['['.repeat(200_000), '[x]('.repeat(50_000), ...['[x](http://', '[x] ', 'a*', '**'].map((part) => part.repeat(5000))]) expect(shown(text).length).toBeGreaterThan(text.length / 2);
  expect(shown('[a [b](https://x.org/c_(d) e')).toContain('[a <a href="https://x.org/c_(d" rel="noreferrer noopener">b</a> e');
});

test('each part of notes has a key of its own', () => {
  const { children } = (Markdown({ text: 'a\n\nb\n```\ncode\n```\nc\n\nd\n```\nmore\n```' }).props as { children: { key: string }[] });
  expect(children.length).toBe(6);
  expect(new Set(children.map(({ key }) => key)).size).toBe(6);
});

test('errors are told in the server\'s words', () => {
  expect(errorText(400, '{"error":{"code":3,"error":"bad name"}}')).toBe('bad name');
  expect(errorText(400, '{"message":"why"}')).toBe('why');
  expect(errorText(502, '<html>')).toBe('The server answered with status 502.');
});

test('trials sort by a column, without a value last', () => {
  const trials = [{ id: 1, hparams: { a: 3 } }, { id: 2, hparams: {} }, { id: 3, hparams: { a: 20 } }] as unknown as Parameters<typeof sortedTrials>[0];
  expect(sortedTrials(trials, 'hp.a', false).map(({ id }) => id)).toEqual([1, 3, 2]);
  expect(sortedTrials(trials, 'hp.a', true).map(({ id }) => id)).toEqual([3, 1, 2]);
  const nested = flatTrials([{ id: 1, hparams: { net: { width: 8 } } }, { id: 2, hparams: { net: { width: 4 } } }] as unknown as Parameters<typeof flatTrials>[0]);
  expect(varied(nested)).toEqual(['net.width']);
  expect(sortedTrials(nested, 'hp.net.width', false).map(({ id }) => id)).toEqual([2, 1]);
  expect(varied([{ hparams: { a: 1, b: 2 } }, { hparams: { a: 1, b: 3 } }])).toEqual(['b']);
  // Lists are the same by what is in them; one that only some trials have does not differ between those.
  expect(varied([{ hparams: { list: [1, 2], one: 'x' } }, {}, { hparams: { list: [1, 2] } }, { hparams: { list: [1], other: 1 } }])).toEqual(['list']);
  const plain = [{ id: 1, hparams: { lr: 0.1, list: [1], none: null } }] as unknown as Parameters<typeof flatTrials>[0];
  expect(flatTrials(plain)[0]).toBe(plain[0]);
});

test('the order of trials is kept in the address, whatever a hyperparameter is called', () => {
  for (const column of ['id', 'hp.a=b, c']) for (const isDown of [true, false]) expect(readSort(sortText(column, isDown))).toEqual({ column, isDown });
  for (const wrong of [undefined, 7, '', 'id', '=asc', 'id=up', `${'x'.repeat(1000)}=asc`]) expect(readSort(wrong)).toBeUndefined();
});

test('times ago and counts read as Intl writes them in English', () => {
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const now = Date.parse('2026-06-15T12:00:00Z');
  const said = (seconds: number) => ago(new Date(now + seconds * 1000).toISOString(), now);
  const units: [Intl.RelativeTimeFormatUnit, number][] = [['minute', 60], ['hour', 3600], ['day', 86_400], ['month', 2_592_000], ['year', 31_536_000]];
  for (const [unit, size] of units) for (const count of [-11, -2, -1, 1, 2, 11]) expect(said(count * size)).toBe(relative.format(count, unit));
  expect(said(-1100 * 31_536_000)).toBe(relative.format(-1100, 'year'));
  expect([said(-59), said(59), said(0)]).toEqual(['just now', 'just now', 'just now']);
  for (const count of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 2 ** 40]) expect(grouped(count)).toBe(count.toLocaleString('en'));
});

test('numbers and times read well', () => {
  expect([duration(59), duration(125), duration(7380), duration(100_000)]).toEqual(['59 s', '2 min 5 s', '2 h 3 min', '1 d 3 h']);
  expect([bytes('31'), bytes(1536), bytes(20 * 1024 ** 2)]).toEqual(['31 B', '1.5 KiB', '20 MiB']);
  expect([metric(0.123456), metric(0), metric('NaN'), metric(1e-9), metric(null)]).toEqual(['0.1235', '0', 'NaN', '1.000e-9', '–']);
  expect([16384, 1048576, 12345.6, 1234567.8, -65536, 1e15, 0.5].map(metric)).toEqual(['16384', '1048576', '12346', '1.235e+6', '-65536', '1.000e+15', '0.5']);
  expect(ago('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:05:00Z'))).toBe('5 minutes ago');
});

test('lines of a log say their day, unless it is today', () => {
  const now = new Date(2026, 10, 27, 9).getTime();
  const at = (day: number) => earlierDay(new Date(2026, 10, day, 8).toISOString(), now);
  expect([at(27), at(26), earlierDay('', now)]).toEqual(['', 'Nov 26, 2026', '']);
});

test('only what is over can be deleted', () => {
  expect(actionsOf('STATE_RUNNING', false)).toEqual(['pause', 'cancel', 'kill']);
  expect(actionsOf('STATE_COMPLETED', true)).toEqual(['unarchive', 'delete']);
});

test('what runs outside of the cluster is not paused or started here, and can be deleted while it does not run', () => {
  expect(actionsOf('STATE_ACTIVE', false, true)).toEqual(['cancel', 'kill']);
  expect(actionsOf('STATE_PAUSED', true, true)).toEqual(['cancel', 'kill', 'unarchive', 'delete']);
  expect(actionsOf('STATE_COMPLETED', false, true)).toEqual(['archive', 'delete']);
});

test('the metric that is shown first is one that says something', () => {
  const all = ['training.batches', 'training.loss', 'validation.accuracy', 'validation.epochs'];
  expect(firstMetric(all, 'accuracy', 1)).toBe('training.loss');
  expect(firstMetric(all, 'accuracy', 2)).toBe('validation.accuracy');
  expect(firstMetric(['training.batches', 'training.error'], 'accuracy', 1)).toBe('training.error');
  expect(firstMetric(['training.batches'], 'accuracy', 1)).toBe('training.batches');
  expect(firstMetric([], 'accuracy', 1)).toBeUndefined();
});

test('a line of a log has the time of the day where the reader is', () => {
  const at = new Date('2026-01-01T12:00:05Z');
  expect(clock('2026-01-01T12:00:05.123456Z')).toBe([at.getHours(), at.getMinutes(), 5].map((part) => String(part).padStart(2, '0')).join(':'));
  expect(clock('')).toBe('');
  expect(whole('2026-01-01T12:00:05.123456Z')).toMatch(/^\w+ \d+, 202[56], \d\d:\d\d:05 \(2026-01-01T12:00:05.123456Z\)$/);
  expect(whole('')).toBe('');
});

test('news of the queue do not ask again why each job waits', () => {
  const { queryKey, staleTime, refetchInterval } = reasonQuery('7');
  expect(queryKey).not.toContain(keyOf('queue')[0]);
  expect([staleTime, refetchInterval]).toEqual([10_000, 10_000]);
});
