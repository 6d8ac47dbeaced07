-- Generic tasks start generic tasks, which end and pause with them, and are made after the pattern of others.
ALTER TABLE standalone_tasks
  ADD COLUMN parent_id text REFERENCES tasks (id) ON DELETE SET NULL,
  ADD COLUMN forked_from text REFERENCES tasks (id) ON DELETE SET NULL,
  ADD COLUMN no_pause boolean;  -- NULL: not said, which means true for a child and false for a root
CREATE INDEX standalone_tasks_parent ON standalone_tasks (parent_id) WHERE parent_id IS NOT NULL;  -- TaskFamilyStore
