-- Where somebody put a job in the queue, among those of its priority: smaller is earlier. NULL: its submission, in units of a 1024th of a microsecond
-- since 1970 (store/cluster/queue_place.h), so that there is room between two.
ALTER TABLE experiments ADD COLUMN queue_place bigint;
ALTER TABLE standalone_tasks ADD COLUMN queue_place bigint;

-- QueuePlaceStore::places: few, whatever there is besides.
CREATE INDEX experiments_placed ON experiments (id) WHERE queue_place IS NOT NULL;
CREATE INDEX standalone_tasks_placed ON standalone_tasks (task_number) WHERE queue_place IS NOT NULL;
