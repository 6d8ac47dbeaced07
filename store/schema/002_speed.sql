-- ExperimentStore::list counts what it lists: from this index alone, where nothing but "not archived" is asked.
CREATE INDEX experiments_archived ON experiments (archived, id);

-- Logs are rewritten into larger chunks (store/log_compactor.h): their space is wanted back soon, not after a fifth of the
-- table has changed.
ALTER TABLE task_log_chunks SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
                                 toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 1000);
