-- What administrators fix and limit for everybody's workloads.
CREATE TABLE config_policies (
  workspace_id bigint REFERENCES workspaces ON DELETE CASCADE,  -- NULL: the whole cluster
  workload_type text NOT NULL CHECK (workload_type IN ('EXPERIMENT', 'NTSC')),
  policy jsonb NOT NULL,  -- invariant_config and constraints
  updated_by bigint NOT NULL REFERENCES users,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX config_policies_scope ON config_policies (coalesce(workspace_id, 0), workload_type);  -- all of ConfigPolicyStore
