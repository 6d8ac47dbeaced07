-- As in 014, in transactions of their own: writers of one table do not wait for the index of another, nor for two at once.
CREATE INDEX IF NOT EXISTS trials_experiment ON trials (experiment_id, id);  -- list_trials by id, and how many there are
