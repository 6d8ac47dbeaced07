-- Storages are counted, and go with their experiment (ExperimentStore::remove). They are few.
CREATE INDEX IF NOT EXISTS storages_experiment ON storages (experiment_id) WHERE experiment_id IS NOT NULL;
-- For the foreign key, where one goes.
CREATE INDEX IF NOT EXISTS checkpoints_storage ON checkpoints (storage_id) WHERE storage_id IS NOT NULL;
