-- What log policies decided about a trial, by lines of its log (store::LogVerdict). Read with every trial's row.
ALTER TABLE trials
  ADD COLUMN excluded_nodes jsonb NOT NULL DEFAULT '[]',  -- [{"node", "why"}]
  ADD COLUMN no_retry text NOT NULL DEFAULT '',           -- why a failure is not tried again; '': it is
  ADD COLUMN log_policy_matched text NOT NULL DEFAULT ''; -- name of the policy that matched last
