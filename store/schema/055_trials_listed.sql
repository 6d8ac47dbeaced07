-- What a filter of runs by metrics asks of each that matches is in this index: a row of trials is 500 bytes, and those of 100,000 runs do not stay
-- in PostgreSQL's buffers.
CREATE INDEX IF NOT EXISTS trials_listed ON trials (id) INCLUDE (experiment_id, archived);
