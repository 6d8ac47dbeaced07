-- What profilers of harnesses before 0.36 measured; newer ones report it as metrics without steps.
CREATE TABLE profiler_batches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trial_id bigint NOT NULL REFERENCES trials ON DELETE CASCADE,
  name text NOT NULL,
  agent_id text NOT NULL,
  gpu_uuid text NOT NULL,
  metric_type text NOT NULL,
  values double precision[] NOT NULL,
  batches integer[] NOT NULL,
  times timestamptz[] NOT NULL
);
CREATE INDEX profiler_batches_trial ON profiler_batches (trial_id, name, agent_id, gpu_uuid, metric_type, id);  -- both reads
