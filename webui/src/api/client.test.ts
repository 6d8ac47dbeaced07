import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { address } from './client';

beforeEach(() => vi.stubGlobal('document', { baseURI: 'https://host/det/ui/' }));
afterEach(() => vi.unstubAllGlobals());

const kLabel = '/api/v1/experiments/{id}/labels/{label}';

test('an address has its parts in their places, whatever is in them', () => {
  expect(address(kLabel, { id: 5, label: 'a/b..' }, { x: [1, undefined, 2] }).href).toBe('https://host/det/api/v1/experiments/5/labels/a%2Fb..?x=1&x=2');
});

test('a name of dots alone is no step up: it would be another thing that is deleted', () => {
  for (const label of ['.', '..']) expect(() => address(kLabel, { id: 5, label })).toThrow('dots alone');
  expect(address(kLabel, { id: 5, label: '...' }).pathname).toBe('/det/api/v1/experiments/5/labels/...');
});
