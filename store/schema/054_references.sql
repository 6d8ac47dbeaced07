-- What refers to a row that is deleted is looked for by these: without them each task of a trial that goes reads all checkpoints and all tasks of
-- people, and each experiment all experiments.
CREATE INDEX IF NOT EXISTS checkpoints_task ON checkpoints (task_number);
CREATE INDEX IF NOT EXISTS standalone_tasks_forked_from ON standalone_tasks (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX IF NOT EXISTS experiments_parent ON experiments (parent_id) WHERE parent_id IS NOT NULL;
