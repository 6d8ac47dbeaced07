-- Lists of runs that are sorted and filtered by what was measured. What each run's reports add up to, as RunSumStore keeps
-- it: all derived, and all of it may be deleted at any time (then set trials.summed_run back to -1).
CREATE TABLE run_metric_names (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  grp text NOT NULL,
  name text NOT NULL,
  UNIQUE (grp, name)
);

CREATE TABLE run_metrics (
  trial_id bigint NOT NULL REFERENCES trials ON DELETE CASCADE,
  metric_id integer NOT NULL REFERENCES run_metric_names,
  count bigint NOT NULL,
  sum double precision NOT NULL,
  min double precision NOT NULL,
  max double precision NOT NULL,
  last double precision NOT NULL,
  mean double precision NOT NULL,
  PRIMARY KEY (trial_id, metric_id)
);
-- RunListStore: one page of a list in the order of a metric, and filters by one.
CREATE INDEX run_metrics_last ON run_metrics (metric_id, last, trial_id);
CREATE INDEX run_metrics_min ON run_metrics (metric_id, min, trial_id);
CREATE INDEX run_metrics_max ON run_metrics (metric_id, max, trial_id);
CREATE INDEX run_metrics_mean ON run_metrics (metric_id, mean, trial_id);

ALTER TABLE trials
  ADD COLUMN archived boolean NOT NULL DEFAULT false,
  ADD COLUMN summed_run integer NOT NULL DEFAULT -1;  -- the run after whose end run_metrics holds all of the trial's sums
CREATE INDEX trials_to_sum ON trials (id) WHERE summed_run <> run;  -- RunSumStore::refresh

-- Texts that programs wrote into their metadata, of which some are times.
CREATE FUNCTION time_or_null(written text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF written !~ '^\d{4}-\d\d-\d\d' THEN RETURN NULL; END IF;
  RETURN written::timestamptz;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;
