// Several questions of which one view is made: what has come of all of them.
import { isGone } from '../api/client';

interface Asked<T> { data: T | undefined; error: Error | null; dataUpdatedAt: number }
export interface Several<T> {
  found: T[];
  gone: Error[];  // why others are not there, or not for this person
  isWhole: boolean;  // nothing is still to come
  failed: Error | undefined;  // of one that never came
  stale: { error: Error; updated: number } | undefined;  // of the oldest that came once, and cannot be had anew
}

export function several<T>(asked: readonly Asked<T>[]): Several<T> {
  const all: Several<T> = { found: [], gone: [], isWhole: true, failed: undefined, stale: undefined };
  for (const { data, error, dataUpdatedAt: updated } of asked) {
    if (error && isGone(error)) all.gone.push(error);
    else if (data === undefined) {
      all.isWhole = false;
      if (error) all.failed ??= error;
    } else {
      all.found.push(data);
      if (error && (all.stale === undefined || updated < all.stale.updated)) all.stale = { error, updated };
    }
  }
  return all;
}
