import { expect, test } from 'vitest';
import { readYaml, writeYaml } from './yaml';

test('a configuration is a map, or nothing', async () => {
  expect(await readYaml('resources: {slots: 1}')).toEqual({ resources: { slots: 1 } });
  expect(await readYaml('  \n')).toEqual({});
  expect(await readYaml('# only this')).toEqual({});
  await expect(readYaml('- a')).rejects.toThrow('no configuration');
  await expect(readYaml('a: [')).rejects.toThrow();
});
test('what is written is read again', async () => {
  const value = { a: ['1', null, true], b: { c: 1.5 } };
  expect(await readYaml(await writeYaml(value))).toEqual(value);
});
