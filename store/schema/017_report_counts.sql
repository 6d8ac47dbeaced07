-- How many reports are among those that are kept. Programs before this one move up_to and leave these behind.
ALTER TABLE series_summaries
  ADD COLUMN counted_to integer NOT NULL DEFAULT -1,  -- reports up to these steps are in `reports`
  ADD COLUMN reports bigint NOT NULL DEFAULT 0;

-- A visible series with what is kept of it, if that counts: nothing that a restored run made invisible is in it, nor
-- anything that a program before this one added. Else it is as if nothing were kept.
CREATE VIEW summarised_series AS
  SELECT s.id, s.trial_id, s.run, s.grp, s.names_id, s.last_steps,
         coalesce(u.up_to, -1) AS up_to, coalesce(u.reports, 0) AS reports
  FROM visible_series s
  LEFT JOIN series_summaries u ON u.series_id = s.id AND u.up_to <= s.last_steps AND u.counted_to = u.up_to;
