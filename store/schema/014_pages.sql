-- Lists find the rows of their page from an index alone. IF NOT EXISTS: whoever has so many rows that writers would wait
-- too long makes them before, CONCURRENTLY (docs/running.md).
CREATE INDEX IF NOT EXISTS experiments_start_time ON experiments (start_time, id);  -- list_experiments by start time
-- JobStore::queue, ExperimentStore::count_by_state, and how many a list has that is filtered by any of these.
CREATE INDEX IF NOT EXISTS experiments_listed ON experiments (state, owner_id, archived);
