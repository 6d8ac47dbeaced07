-- As whom a user's tasks run on the nodes; all NULL: as the image or the pod_spec says.
ALTER TABLE users
  ADD COLUMN agent_uid integer,
  ADD COLUMN agent_gid integer,
  ADD COLUMN agent_user text,
  ADD COLUMN agent_group text;
