-- What the end of a run counted as ('', RESTART, INFRA_RESTART): failures of the infrastructure are capped within a time.
ALTER TABLE allocations ADD COLUMN exit_kind text NOT NULL DEFAULT '';
-- TrialStore::open_runs: what an experiment holds now.
CREATE INDEX allocations_open ON allocations (trial_id) WHERE ended_at IS NULL;
-- Settings that were changed since acceptance: priority, weight, max_slots, max_concurrent_trials.
ALTER TABLE experiments ADD COLUMN live jsonb NOT NULL DEFAULT '{}';
