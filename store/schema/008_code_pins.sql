-- The commit that all runs of an experiment train whose code comes from a git repository: what the first pod found its
-- branch or tag to be.
CREATE TABLE code_pins (
  experiment_id bigint PRIMARY KEY REFERENCES experiments ON DELETE CASCADE,
  commit text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
