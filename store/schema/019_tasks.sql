-- What people start one by one: notebooks, shells, commands, TensorBoards. Trials are tasks too, but have rows of their own.
CREATE TABLE standalone_tasks (
  task_number integer PRIMARY KEY REFERENCES tasks,
  nonce uuid NOT NULL UNIQUE,  -- TaskStore::adopt
  uid text UNIQUE,             -- of the Task object; TaskStore::find_by_uid
  namespace text NOT NULL,
  object_name text NOT NULL,
  owner_id bigint NOT NULL REFERENCES users,
  workspace_id bigint NOT NULL REFERENCES workspaces,
  job_id uuid NOT NULL DEFAULT gen_random_uuid(),
  state text NOT NULL,
  description text NOT NULL,
  config jsonb NOT NULL,  -- merged and complete, frozen at acceptance
  config_hash text NOT NULL,
  priority integer,       -- set since acceptance; NULL: the configuration's
  context_kind text NOT NULL,
  context_sha256 text REFERENCES model_definitions,
  experiment_ids bigint[] NOT NULL DEFAULT '{}',  -- what a TensorBoard shows
  trial_ids bigint[] NOT NULL DEFAULT '{}',
  access jsonb NOT NULL DEFAULT '{}',  -- what lets its owner's programs in: the notebook's token, the shell's keys
  run integer NOT NULL DEFAULT 0,
  infra_restarts integer NOT NULL DEFAULT 0,
  exit_reason text NOT NULL DEFAULT '',
  exit_code integer
);
CREATE INDEX standalone_tasks_open ON standalone_tasks (state) WHERE state IN ('ACTIVE', 'PAUSED');  -- TaskStore::open
CREATE INDEX standalone_tasks_owner ON standalone_tasks (owner_id);                                  -- TaskStore::list
