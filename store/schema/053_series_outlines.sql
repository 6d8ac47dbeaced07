-- Curves of long series are read from a few reports of each block (store/metrics/series_outline.h). Only derived, as the
-- sums are. Programs before this one move up_to and leave these behind.
ALTER TABLE series_summaries
  ADD COLUMN outlined_to integer NOT NULL DEFAULT -1;  -- reports up to these steps are in series_outlines

CREATE TABLE series_outlines (
  series_id integer NOT NULL REFERENCES series_summaries ON DELETE CASCADE,
  block integer NOT NULL,  -- so many reports each are outlined together
  place integer NOT NULL,  -- of the name in metric_names.names, from 1
  after integer NOT NULL,  -- of the reports after these steps
  up_to integer NOT NULL,  -- and up to these
  points bytea NOT NULL,
  PRIMARY KEY (series_id, block, place, after)
);
ALTER TABLE series_outlines ALTER COLUMN points SET STORAGE EXTERNAL;  -- numbers, which do not get smaller

-- As summarised_series, which programs before this one read, but what has no outlines does not count either.
CREATE VIEW outlined_series AS
  SELECT s.id, s.trial_id, s.run, s.grp, s.names_id, s.last_steps,
         coalesce(u.up_to, -1) AS up_to, coalesce(u.reports, 0) AS reports
  FROM visible_series s
  LEFT JOIN series_summaries u ON u.series_id = s.id AND u.up_to <= s.last_steps AND u.counted_to = u.up_to
    AND u.outlined_to = u.up_to;
