-- Which workspaces a resource pool is kept for. A pool without a row is everybody's.
CREATE TABLE pool_bindings (
  pool text NOT NULL,
  workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  PRIMARY KEY (pool, workspace_id)
);

-- What goes with a workspace.
CREATE INDEX pool_bindings_workspace ON pool_bindings (workspace_id);
