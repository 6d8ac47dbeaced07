import { expect, test } from 'vitest';
import { readProjectSearch } from './search';

test('the address of a project keeps only an order that is right', () => {
  expect(readProjectSearch({ sort: 'name=asc', q: 'x' })).toEqual({ sort: 'name=asc' });
  expect(readProjectSearch({ sort: 'id;drop' })).toEqual({});
});
