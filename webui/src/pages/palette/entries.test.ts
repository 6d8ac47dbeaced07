import { describe, expect, test } from 'vitest';
import type { Entry } from './entries';
import { fits, local, moved, pageOfKeys, placeOf } from './entries';

describe('the palette', () => {
  test('finds pages and actions by any words of theirs', () => {
    expect(local('work').map(({ name }) => name)).toEqual(['Workspaces']);
    expect(local('colours dark').map(({ key }) => key)).toEqual(['theme dark']);
    expect(fits('Administration: users', 'us ADMIN')).toBe(true);
    expect(local('roles').map(({ href }) => href)).toEqual(['/admin/roles']);
  });
  test('takes a number for that of an experiment first, and of a trial', () => {
    expect(local('#12').slice(0, 2).map(({ href }) => href)).toEqual(['/experiments/12/overview', '/trials/12/metrics']);
    expect(local('0').map(({ kind }) => kind)).not.toContain('Go to');
  });
  test('goes round at its ends', () => {
    expect(moved(2, 'ArrowDown', 3)).toBe(0);
    expect(moved(0, 'ArrowUp', 3)).toBe(2);
    expect(moved(0, 'ArrowUp', 0)).toBe(0);
    expect(moved(1, 'x', 3)).toBe(1);
  });
  test('has the same entry chosen when others come before it', () => {
    const [first, second, late] = ['a', 'b', 'late'].map((key) => ({ key, name: key, kind: 'Page', href: '/' })) as [Entry, Entry, Entry];
    expect([placeOf([first, second], 'b'), placeOf([late, first, second], 'b')]).toEqual([1, 2]);
    expect([placeOf([late, first], undefined), placeOf([late, first], 'b'), placeOf([], 'b')]).toEqual([0, 0, 0]);
  });
  test('keys lead to pages', () => {
    expect(pageOfKeys('g e')).toBe('/experiments');
    expect(pageOfKeys('g x')).toBeUndefined();
  });
});
