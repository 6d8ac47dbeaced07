-- What a program says of its own run, for people: core_context.train.set_metadata.
CREATE TABLE run_metadata (
  trial_id bigint PRIMARY KEY REFERENCES trials ON DELETE CASCADE,
  metadata jsonb NOT NULL
);
