-- Workspaces and projects that people make, change and delete. A program before this one reads those that there are, and makes none.
-- state: UNSPECIFIED; DELETING: the leader empties it and then removes the row; DELETE_FAILED: error_message says why it stopped.
ALTER TABLE workspaces
  ADD COLUMN state text NOT NULL DEFAULT 'UNSPECIFIED' CHECK (state IN ('UNSPECIFIED', 'DELETING', 'DELETE_FAILED')),
  ADD COLUMN error_message text NOT NULL DEFAULT '',
  ADD COLUMN agent_uid integer,  -- as whom its tasks run on the nodes, before the user's own; NULL: it says nothing
  ADD COLUMN agent_gid integer,
  ADD COLUMN agent_user text,
  ADD COLUMN agent_group text,
  ADD COLUMN default_compute_pool text NOT NULL DEFAULT '',  -- empty: the cluster's
  ADD COLUMN default_aux_pool text NOT NULL DEFAULT '',
  ADD COLUMN checkpoint_storage jsonb;  -- under the configurations of its experiments; may hold keys
CREATE UNIQUE INDEX workspaces_name_any_case ON workspaces (lower(name));                    -- WorkspaceStore::create, change
CREATE INDEX workspaces_deleting ON workspaces (id) WHERE state = 'DELETING';                -- RemovalStore::going_workspaces

ALTER TABLE projects
  ADD COLUMN state text NOT NULL DEFAULT 'UNSPECIFIED' CHECK (state IN ('UNSPECIFIED', 'DELETING', 'DELETE_FAILED')),
  ADD COLUMN error_message text NOT NULL DEFAULT '',
  ADD COLUMN notes jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN key text NOT NULL DEFAULT upper(left(md5(random()::text), 5)),
  ADD COLUMN deleted_up_to bigint NOT NULL DEFAULT 0,  -- while it is DELETING: of which experiments the deletion has begun
  ADD CONSTRAINT projects_key UNIQUE (key);                                                  -- ProjectStore::find_by_key
CREATE INDEX projects_deleting ON projects (id) WHERE state = 'DELETING';                    -- RemovalStore::going_projects

CREATE TABLE workspace_pins (
  workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  pinned_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX standalone_tasks_workspace ON standalone_tasks (workspace_id);  -- RemovalStore::going_workspaces, the foreign key
