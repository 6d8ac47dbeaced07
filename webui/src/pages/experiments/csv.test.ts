import { expect, test } from 'vitest';
import { columnOf, kColumns } from './columns';
import { csvOf } from './csv';
import type { Row } from './rows';
import { rawValue } from './values';

const row = {
  id: 3, name: 'a, b', state: 'STATE_COMPLETED', bestTrialSearcherMetric: 0.123456789, searcherMetric: 'loss', startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-01T00:01:01Z', duration: 61,
  checkpointSize: 2048, labels: ['x', 'y'], username: 'ann', displayName: 'Ann', hyperparameters: { lr: { type: 'const', val: 0.000123456 }, net: { width: { type: 'int', minval: 1, maxval: 8 } } },
  bestTrial: { summaryMetrics: { validation_metrics: { loss: { min: 0.123456789 } } } },
} as unknown as Row;

test('a file has the columns that the table shows, with their whole values', () => {
  expect(csvOf(['id', 'name', 'metric', 'duration', 'checkpoints', 'hp.lr', 'hp.net.width', 'hp.none', 'validation.loss.min'], [row]).split('\r\n')).toEqual([
    'id,name,metric,metricName,duration,checkpoints,hp.lr,hp.net.width,hp.none,validation.loss.min',
    '3,"a, b",0.123456789,loss,61,2048,0.000123456,"{""type"":""int"",""minval"":1,""maxval"":8}",,0.123456789', '',
  ]);
});

test('each column that a table can have has a value', () => {
  const whole = { ...row, progress: 1, numTrials: 1, searcherType: 'random', resourcePool: 'gpu', projectName: 'p' } as Row;
  for (const { key } of kColumns) expect(rawValue(whole, key), key).toBeDefined();
  expect(columnOf('hp.lr')?.key).toBe('hp.lr');
  expect(rawValue({ ...whole, endTime: undefined } as unknown as Row, 'duration')).toBeUndefined();
});
