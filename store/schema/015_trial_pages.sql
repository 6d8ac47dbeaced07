-- As in 014, in a transaction of its own: writers of one table do not wait for the index of another.
CREATE INDEX IF NOT EXISTS trials_experiment ON trials (experiment_id, id);                 -- list_trials by id, and how many there are
CREATE INDEX IF NOT EXISTS trials_best_metric ON trials (experiment_id, best_metric, id);  -- list_trials by best validation
