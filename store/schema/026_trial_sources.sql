-- Which checkpoints trials use: what a batch inference reports counts for the checkpoint, too.
CREATE TABLE trial_sources (
  trial_id bigint NOT NULL REFERENCES trials ON DELETE CASCADE,
  checkpoint uuid NOT NULL REFERENCES checkpoints ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('INFERENCE', 'FINE_TUNING')),
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (trial_id, checkpoint)
);
CREATE INDEX trial_sources_checkpoint ON trial_sources (checkpoint, trial_id);  -- TrialSourceStore::trials_of, GC
