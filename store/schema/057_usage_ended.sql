-- The last day's usage without all that ended before: UsageStore.
CREATE INDEX IF NOT EXISTS allocation_usage_ended ON allocation_usage (coalesce(ended_at, 'infinity'::timestamptz));
