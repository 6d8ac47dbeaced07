// When a webhook sends, in words.
import type { Schemas } from '../../api/client';

export function triggerWords({ triggerType, condition }: Schemas['v1Trigger']): string {
  const known = (condition ?? {}) as { state?: unknown; regex?: unknown };
  switch (triggerType) {
    case 'TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE': return known.state === 'ERROR' ? 'an experiment fails' : known.state === 'COMPLETED' ? 'an experiment completes' : `an experiment becomes ${String(known.state ?? 'another state')}`;
    case 'TRIGGER_TYPE_TASK_LOG': return known.regex === undefined ? 'a line of a log' : `a line matches ${String(known.regex)}`;
    case 'TRIGGER_TYPE_CUSTOM': return 'a program says so';
    case 'TRIGGER_TYPE_METRIC_THRESHOLD_EXCEEDED': return 'a metric crosses a threshold';
    default: return 'a test';
  }
}
