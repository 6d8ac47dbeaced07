-- What is to be removed from checkpoint storage: written before any file is touched, carried out by tasks of type CHECKPOINT_GC. When
-- such a task ends well the checkpoints become DELETED. A program before this one knows nothing of it and touches no file.
CREATE TABLE removals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  experiment_id bigint NOT NULL REFERENCES experiments ON DELETE CASCADE,
  storage jsonb NOT NULL,      -- the section checkpoint_storage of where the files are
  globs jsonb NOT NULL,        -- which files of each checkpoint; ["**/*"]: all
  tensorboard boolean NOT NULL DEFAULT false,  -- the experiment's TensorBoard files, too
  reason text NOT NULL,        -- for people
  state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DONE', 'FAILED')),
  attempts integer NOT NULL DEFAULT 0,  -- tasks so far
  task_id text,                -- of the latest one; RemovalStore::of_task
  next_try timestamptz NOT NULL DEFAULT now(),
  error text NOT NULL DEFAULT '',       -- of the latest task that failed
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX removals_pending ON removals (id) WHERE state = 'PENDING';         -- RemovalStore::pending
CREATE INDEX removals_experiment ON removals (experiment_id);                   -- the cascade, RemovalStore::deletable
CREATE INDEX removals_task ON removals (task_id) WHERE task_id IS NOT NULL;     -- RemovalStore::of_task

CREATE TABLE removal_checkpoints (
  removal_id bigint NOT NULL REFERENCES removals ON DELETE CASCADE,
  uuid uuid NOT NULL REFERENCES checkpoints ON DELETE CASCADE,
  PRIMARY KEY (removal_id, uuid)
);
CREATE INDEX removal_checkpoints_uuid ON removal_checkpoints (uuid);            -- is_being_removed

-- HELD: what ended before this version knew it; the policy touches nothing of it until an administrator says so. DUE: it ended, or its
-- policy was changed, and the policy is to be carried out. DONE: it was planned.
ALTER TABLE experiments ADD COLUMN collection text NOT NULL DEFAULT 'HELD';
CREATE INDEX experiments_due ON experiments (id) WHERE collection = 'DUE';                              -- RemovalStore::plan_due
CREATE INDEX trials_warm_start ON trials (warm_start_checkpoint) WHERE warm_start_checkpoint IS NOT NULL;  -- protected checkpoints
CREATE INDEX experiments_context ON experiments (context_sha256) WHERE context_sha256 IS NOT NULL;      -- sweep of model_definitions
CREATE INDEX standalone_tasks_context ON standalone_tasks (context_sha256) WHERE context_sha256 IS NOT NULL;  -- the same
