import type { Schemas } from '../api/client';

// What an administrator tells everybody, from when until when they say.
export function messageAt(told: Schemas['v1ClusterMessage'] | null | undefined, now = Date.now()): string | undefined {
  if (!told?.message || Date.parse(told.startTime ?? '') > now || Date.parse(told.endTime ?? '') <= now) return undefined;
  return told.message;
}
