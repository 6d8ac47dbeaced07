import { expect, test } from 'vitest';
import { messageAt } from './message';

test('the message to all is shown from its start to its end', () => {
  const at = (time: string) => Date.parse(`2026-11-27T${time}:00Z`);
  const told = { message: 'Maintenance', startTime: '2026-11-27T10:00:00Z', endTime: '2026-11-27T12:00:00Z' };
  expect(['09:59', '10:00', '11:59', '12:00'].map((time) => messageAt(told, at(time)))).toEqual([undefined, 'Maintenance', 'Maintenance', undefined]);
  expect(messageAt({ ...told, endTime: null }, at('23:00'))).toBe('Maintenance');
  expect([messageAt(undefined), messageAt({ message: '' })]).toEqual([undefined, undefined]);
});
