-- How long logs are kept: days after the end of the task, -1: for ever; NULL: as the experiment, its configuration and master.yaml
-- say, in this order.
ALTER TABLE experiments ADD COLUMN log_retention_days smallint;
ALTER TABLE trials ADD COLUMN log_retention_days smallint;
-- Since when there is nothing to remove but the line that says so. LogBatch forgets it with the next line.
ALTER TABLE tasks ADD COLUMN log_removed_at timestamptz;
CREATE INDEX tasks_log_removable ON tasks (number) WHERE end_time IS NOT NULL AND log_removed_at IS NULL;  -- LogRetentionStore

-- Always exactly one row. What was started before this version knew retention keeps its log until an administrator says otherwise,
-- which makes held_before '-infinity'. last_pass: when the last pass over all logs began.
CREATE TABLE log_retention (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  held_before timestamptz NOT NULL DEFAULT now(),
  last_pass timestamptz
);
INSERT INTO log_retention DEFAULT VALUES;
