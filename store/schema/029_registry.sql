-- The model registry: named models, and as their versions checkpoints that stay. Numbers of versions are never given twice.
CREATE TABLE models (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  description text NOT NULL DEFAULT '',
  metadata jsonb NOT NULL DEFAULT '{}',
  labels text[] NOT NULL DEFAULT '{}',
  notes text NOT NULL DEFAULT '',
  owner_id bigint NOT NULL REFERENCES users,
  workspace_id bigint NOT NULL REFERENCES workspaces,
  archived boolean NOT NULL DEFAULT false,
  latest_version integer NOT NULL DEFAULT 0,  -- also of those that were deleted
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX models_workspace ON models (workspace_id);  -- a workspace with models is not deleted

CREATE TABLE model_versions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model_id bigint NOT NULL REFERENCES models ON DELETE CASCADE,
  version integer NOT NULL,
  checkpoint uuid NOT NULL REFERENCES checkpoints,
  name text NOT NULL DEFAULT '',
  comment text NOT NULL DEFAULT '',
  metadata jsonb NOT NULL DEFAULT '{}',
  labels text[] NOT NULL DEFAULT '{}',
  notes text NOT NULL DEFAULT '',
  owner_id bigint NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (model_id, version)
);
CREATE INDEX model_versions_checkpoint ON model_versions (checkpoint);  -- what the registry keeps from removal

-- Which version of a model a batch inference used.
ALTER TABLE trial_sources ADD COLUMN model_version_id bigint REFERENCES model_versions ON DELETE SET NULL;
CREATE INDEX trial_sources_version ON trial_sources (model_version_id, trial_id) WHERE model_version_id IS NOT NULL;
