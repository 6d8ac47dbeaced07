-- What the reports of long series add up to, so that a trial is shown in the same time whatever it has reported. Only
-- derived: MetricStore keeps it, and all of it may be deleted at any time. See store/series_summary.h.
CREATE TABLE series_summaries (
  series_id integer PRIMARY KEY REFERENCES series ON DELETE CASCADE,
  up_to integer NOT NULL,   -- reports up to these steps are in series_sums; -1: none yet
  claimed integer NOT NULL  -- up to where somebody is adding up; a report that comes late for it deletes the row
);

CREATE TABLE series_sums (
  series_id integer NOT NULL REFERENCES series_summaries ON DELETE CASCADE,
  place integer NOT NULL,  -- of the name in metric_names.names, from 1
  count bigint NOT NULL,
  sum double precision NOT NULL,
  min double precision NOT NULL,
  max double precision NOT NULL,
  last double precision NOT NULL,  -- at the largest steps
  last_steps integer NOT NULL,
  PRIMARY KEY (series_id, place)
);
