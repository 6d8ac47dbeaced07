CREATE INDEX IF NOT EXISTS trials_best_metric ON trials (experiment_id, best_metric, id);  -- list_trials by best validation
