import { expect, test } from 'vitest';
import { triggerWords } from './triggers';

test('when a webhook sends, in words', () => {
  expect(triggerWords({ triggerType: 'TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE', condition: { state: 'ERROR' } })).toBe('an experiment fails');
  expect(triggerWords({ triggerType: 'TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE', condition: null })).toBe('an experiment becomes another state');
  expect(triggerWords({ triggerType: 'TRIGGER_TYPE_TASK_LOG', condition: { regex: '.*oom.*' } })).toBe('a line matches .*oom.*');
  expect(triggerWords({ triggerType: 'TRIGGER_TYPE_UNSPECIFIED' })).toBe('a test');
});
