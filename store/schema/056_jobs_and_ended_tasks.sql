-- People name a job in each change of the queue, of which one request may have a thousand: JobStore::find.
CREATE INDEX IF NOT EXISTS experiments_job ON experiments (job_id);
CREATE INDEX IF NOT EXISTS standalone_tasks_job ON standalone_tasks (job_id);
-- What people started and what ended lately, without all that ever was: TaskStore::list.
CREATE INDEX IF NOT EXISTS tasks_ended ON tasks (end_time) WHERE type <> 'TRIAL' AND end_time IS NOT NULL;
