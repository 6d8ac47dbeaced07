import { expect, test } from 'vitest';
import { ApiError } from '../api/client';
import { several } from './several';

const asked = (data: string | undefined, error: Error | null = null, dataUpdatedAt = 5) => ({ data, error, dataUpdatedAt });
const away = new ApiError(503, 'No database.');

test('what came once stays when it cannot be had anew, and says of when it is', () => {
  expect(several([asked('a'), asked('b', away, 9), asked('c', away, 7)])).toEqual({ found: ['a', 'b', 'c'], gone: [], isWhole: true, failed: undefined, stale: { error: away, updated: 7 } });
});

test('only what never came is a failure, and what is gone is left out', () => {
  const gone = new ApiError(404, 'No such trial.');
  expect(several([asked('a'), asked(undefined, gone), asked('c', gone)])).toMatchObject({ found: ['a'], gone: [gone, gone], isWhole: true, failed: undefined, stale: undefined });
  expect(several([asked('a'), asked(undefined, away)])).toMatchObject({ found: ['a'], isWhole: false, failed: away });
  expect(several([asked(undefined)])).toMatchObject({ isWhole: false, failed: undefined });
});
