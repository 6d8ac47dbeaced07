-- Whether few runs are archived, and which: ListStatement counts by metrics alone then.
CREATE INDEX IF NOT EXISTS trials_archived ON trials (id) WHERE archived;
CREATE INDEX IF NOT EXISTS experiments_archived ON experiments (id) WHERE archived;
