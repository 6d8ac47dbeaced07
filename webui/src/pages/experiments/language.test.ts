import { describe, expect, test } from 'vitest';
import { locationOf, parse, print, toServer } from './language';
import { filterText, readSearch } from './search';
import { hyperparameterText, metricOf } from './values';

const read = (text: string) => {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(`${parsed.at}: ${parsed.message}`);
  return parsed.group;
};

describe('the language of filters', () => {
  test('binds and before or, and knows parentheses', () => {
    expect(print(read('a = 1 or b = 2 and c = 3'))).toBe('a = 1 or (b = 2 and c = 3)');
    expect(print(read('(a = 1 or b = 2) and c = 3'))).toBe('(a = 1 or b = 2) and c = 3');
  });
  test('comes back as it was, whatever is in names and texts', () => {
    for (const text of ['name contains "a \\"b\\" \\\\ c"', '`hp.<i>net</i>.width` = 64', 'state = ERROR', 'name = "12"', 'name = "and"', 'description is empty', 'tags is not empty', 'name not contains x', 'hp.on = true', 'x >= -1e-5']) {
      expect(print(read(print(read(text))))).toBe(print(read(text)));
    }
    expect(print(read('`hp.<i>net</i>.width` = 64'))).toBe('`hp.<i>net</i>.width` = 64');
    expect(read('name = "12"').children[0]).toMatchObject({ value: '12' });
  });
  test('is also read as people say it', () => {
    expect(print(read('name DOES NOT CONTAIN x AND tags Is Empty'))).toBe('name not contains x and tags is empty');
  });
  test('says where it is not understood', () => {
    expect(parse('state = ')).toMatchObject({ ok: false, at: 8 });
    expect(parse('state ERROR')).toMatchObject({ ok: false, at: 6 });
    expect(parse('a = 1 b = 2')).toMatchObject({ ok: false, at: 6 });
    expect(parse('(a = 1')).toMatchObject({ ok: false, message: 'A parenthesis is not closed' });
    expect(parse('name = "x')).toMatchObject({ ok: false, message: 'A quote is not closed' });
    expect(parse('('.repeat(30) + 'a = 1' + ')'.repeat(30))).toMatchObject({ ok: false });
    expect(parse('')).toMatchObject({ ok: true });
  });
  test('becomes what the server takes', () => {
    expect(toServer(read('hp.lr < 0.01 and hp.on = true and hp.net = wide and hp.lr is empty and validation.loss.min <= 1 and user = 2'))).toEqual({
      kind: 'group', conjunction: 'and', children: [
        { kind: 'field', location: 'LOCATION_TYPE_HYPERPARAMETERS', columnName: 'hp.lr', operator: '<', type: 'COLUMN_TYPE_NUMBER', value: 0.01 },
        { kind: 'field', location: 'LOCATION_TYPE_HYPERPARAMETERS', columnName: 'hp.on', operator: '=', value: true },
        { kind: 'field', location: 'LOCATION_TYPE_HYPERPARAMETERS', columnName: 'hp.net', operator: '=', type: 'COLUMN_TYPE_TEXT', value: 'wide' },
        { kind: 'field', location: 'LOCATION_TYPE_HYPERPARAMETERS', columnName: 'hp.lr', operator: 'isEmpty' },
        { kind: 'field', location: 'LOCATION_TYPE_VALIDATIONS', columnName: 'validation.loss.min', operator: '<=', value: 1 },
        { kind: 'field', location: 'LOCATION_TYPE_EXPERIMENT', columnName: 'user', operator: '=', value: 2 },
      ],
    });
    expect(locationOf('my.metric.last')).toBe('LOCATION_TYPE_CUSTOM_METRIC');
  });
});

test('an address may have a filter, a project and any columns', () => {
  expect(readSearch({ filter: 'state = ERROR', project: 3, cols: ['id', 'hp.lr', 'id', 7], sort: 'hp.lr=asc' })).toEqual({ filter: 'state = ERROR', project: 3, cols: ['id', 'hp.lr'], sort: 'hp.lr=asc' });
  expect(readSearch({ filter: 'x'.repeat(9000), project: -1, cols: 'id', sort: 'a,b=asc' })).toEqual({});
});

test('a filter that is not understood finds nothing', () => {
  expect(JSON.parse(filterText({ filter: 'state =' })).filterGroup.children).toEqual([{ kind: 'field', location: 'LOCATION_TYPE_EXPERIMENT', columnName: 'id', operator: '<', value: 0 }]);
});

test('cells of own columns', () => {
  expect([{ type: 'const', val: 0.1 }, { type: 'log', base: 10, minval: -5, maxval: 0 }, { type: 'int', minval: 1, maxval: 8 }, { type: 'categorical', vals: ['a', 2] }, undefined].map(hyperparameterText))
    .toEqual(['0.1', '10^-5 … 10^0', '1 … 8', 'a, 2', '–']);
  const row = { bestTrial: { summaryMetrics: { validation_metrics: { 'a.b': { last: 3 } }, own: { c: { max: 'NaN' as const } } } } };
  expect([metricOf(row, 'validation.a.b.last'), metricOf(row, 'own.c.max'), metricOf(row, 'validation.x.last'), metricOf({}, 'x.y.last')]).toEqual([3, 'NaN', undefined, undefined]);
});
