import { expect, test } from 'vitest';
import type { Condition } from './language';
import type { Typed } from './typed';
import { conditionOf, kNew, typedOf } from './typed';

const names = [{ column: 'name', name: 'Name', isText: true }, { column: 'hp.net', name: 'net', isText: true }, { column: 'hp.lr', name: 'lr', isText: false }];
const typed = (column: string, text: string): Typed => ({ ...kNew, column, operator: '=', text });
const values = (column: string, texts: string[]) => texts.map((text) => conditionOf(typed(column, text), names)?.value);

test('a number is typed letter by letter', () => {
  expect(values('hp.lr', ['0', '0.', '0.0', '0.01', '-', '-0', '-0.5'])).toEqual([0, 0, 0, 0.01, '-', -0, -0.5]);
});

test('what looks like a number is a text in a column of texts', () => {
  expect(values('name', ['007', '1e3', 'true', '1.10'])).toEqual(['007', '1e3', 'true', '1.10']);
  expect(values('hp.net', ['18', 'true', 'wide'])).toEqual(['18', true, 'wide']);
});

test('a condition comes back as it was, also a number in quotes', () => {
  const all: Condition[] = [
    { kind: 'field', column: 'hp.lr', operator: '<', value: 0.001 }, { kind: 'field', column: 'hp.lr', operator: '=', value: '12' },
    { kind: 'field', column: 'hp.on', operator: '=', value: true }, { kind: 'field', column: 'tags', operator: 'isEmpty', value: null },
  ];
  for (const one of all) expect(conditionOf(typedOf(one), names)).toEqual(one);
});

test('without a value it is no condition yet', () => {
  expect(conditionOf(kNew, names)).toBeUndefined();
  expect(conditionOf({ ...kNew, operator: 'notEmpty' }, names)).toMatchObject({ operator: 'notEmpty' });
});
