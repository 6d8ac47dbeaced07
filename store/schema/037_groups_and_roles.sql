-- Groups of people, and which roles they and single people have. What a role permits is no row: model/access/roles.h.
CREATE TABLE user_groups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE user_group_members (
  group_id bigint NOT NULL REFERENCES user_groups ON DELETE CASCADE,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (user_id, group_id)  -- RoleAssignmentStore::grants_of
);
CREATE INDEX user_group_members_group ON user_group_members (group_id);  -- UserGroupStore::find
CREATE TABLE role_assignments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  role_id integer NOT NULL,
  user_id bigint REFERENCES users ON DELETE CASCADE,
  group_id bigint REFERENCES user_groups ON DELETE CASCADE,
  workspace_id bigint REFERENCES workspaces ON DELETE CASCADE,  -- NULL: everywhere
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(user_id, group_id) = 1)
);
CREATE UNIQUE INDEX role_assignments_once
  ON role_assignments (role_id, coalesce(user_id, 0), coalesce(group_id, 0), coalesce(workspace_id, 0));
CREATE INDEX role_assignments_user ON role_assignments (user_id);            -- RoleAssignmentStore::grants_of
CREATE INDEX role_assignments_group ON role_assignments (group_id);          -- the same
CREATE INDEX role_assignments_workspace ON role_assignments (workspace_id);  -- RoleAssignmentStore::list, of a workspace
