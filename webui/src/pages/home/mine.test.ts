import { expect, test } from 'vitest';
import { kFailed, kOpen, mineQuery } from './mine';

test('what runs is asked for by its state, however many were started since', () => {
  const asked = (part: typeof kOpen) => {
    const { filter = '', limit } = mineQuery(part, 7).queryKey[2] as { filter?: string; limit: number };
    return { limit, text: filter };
  };
  const open = asked(kOpen);
  expect(open.limit).toBe(100);
  for (const state of ['COMPLETED', 'CANCELED', 'ERROR']) expect(open.text).toMatch(new RegExp(`"columnName":"state","operator":"!=","value":"${state}"`));
  expect(open.text).toContain('"columnName":"user","operator":"=","value":7');
  expect(asked(kFailed).text).toContain('"columnName":"state","operator":"=","value":"ERROR"');
});
