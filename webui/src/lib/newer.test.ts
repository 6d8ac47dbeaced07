import { expect, test } from 'vitest';
import type { Place } from './newer';
import { isMissingPart, reloadOnce } from './newer';

function setting(facts: { served?: boolean; keeps?: boolean } = {}) {
  const seen = { now: 1_000_000, kept: null as string | null, reloads: 0 };
  const place: Place = {
    now: () => seen.now, get: () => seen.kept, isServed: async () => facts.served ?? true, reload: () => { seen.reloads += 1; },
    set: (value) => { if (facts.keeps === false) throw new Error('no storage'); seen.kept = value; },
  };
  return { seen, place };
}

test('the page is loaded anew once, and again only after a while', async () => {
  const { seen, place } = setting();
  expect([await reloadOnce(place), await reloadOnce(place)]).toEqual([true, false]);
  seen.now += 61_000;
  expect(await reloadOnce(place)).toBe(true);
  expect(seen.reloads).toBe(2);
});

test('the page stays where no server answers, and where nothing can be kept', async () => {
  for (const facts of [{ served: false }, { keeps: false }]) {
    const { seen, place } = setting(facts);
    expect(await reloadOnce(place)).toBe(false);
    expect(seen.reloads).toBe(0);
  }
});

test('a part that is not there is told from other faults', () => {
  for (const message of ['Failed to fetch dynamically imported module: http://host/ui/assets/Logs-1.js', 'error loading dynamically imported module: x', 'Importing a module script failed.', 'Unable to preload CSS for /ui/assets/a.css']) {
    expect(isMissingPart(new TypeError(message))).toBe(true);
  }
  expect(isMissingPart(new Error('The server cannot be reached.'))).toBe(false);
  expect(isMissingPart(undefined)).toBe(false);
});
