-- What trials of harnesses before 0.38 are told to train (store::TrialWork), and where a trial starts that has no checkpoint
-- of its own. Lengths are totals in the unit of searcher.max_length.

ALTER TABLE trials
  ADD COLUMN work_length bigint,  -- NULL: the search hands out no lengths
  ADD COLUMN work_is_last boolean NOT NULL DEFAULT false,
  ADD COLUMN work_settled bigint NOT NULL DEFAULT 0,
  ADD COLUMN work_completed bigint NOT NULL DEFAULT 0,
  ADD COLUMN work_is_asked_for boolean NOT NULL DEFAULT false,
  ADD COLUMN warm_start_checkpoint uuid;
