-- Experiments whose trials run where people start them: no object, no pods, and states that follow from the trials'.
ALTER TABLE experiments
  ADD COLUMN unmanaged boolean NOT NULL DEFAULT false,
  ADD COLUMN external_id text;  -- by which a program finds its experiment again
ALTER TABLE trials
  ADD COLUMN external_id text,
  ADD COLUMN last_heartbeat timestamptz;  -- of unmanaged ones
CREATE UNIQUE INDEX experiments_external_id ON experiments (external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX trials_external_id ON trials (experiment_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX trials_heartbeats ON trials (last_heartbeat)
  WHERE last_heartbeat IS NOT NULL AND state = 'ACTIVE';  -- UnmanagedStore::end_silent
