-- What the runner of a custom search was told and has to answer, under the numbers of its search's log.
CREATE TABLE custom_search_events (
  experiment_id bigint NOT NULL REFERENCES experiments ON DELETE CASCADE,
  number bigint NOT NULL,
  event json NOT NULL,
  is_answered boolean NOT NULL DEFAULT false,
  PRIMARY KEY (experiment_id, number)  -- CustomSearchStore::answer
);
-- CustomSearchStore::waiting
CREATE INDEX custom_search_events_waiting ON custom_search_events (experiment_id, number) WHERE NOT is_answered;

-- The search knows of the trial's end: what it still has to look at are the others, of searches of any size.
ALTER TABLE trials ADD COLUMN is_closed boolean NOT NULL DEFAULT false;
CREATE INDEX trials_open ON trials (experiment_id, id) WHERE NOT is_closed;  -- TrialStore::open_of_experiment
