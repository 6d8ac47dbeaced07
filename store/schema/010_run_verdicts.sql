-- What ended a run, decided once and before anything of it is deleted: {kind, code, reason, message, never_ran}. Null
-- while nothing is decided, and of runs that ended without their pods having to be stopped.
ALTER TABLE allocations ADD COLUMN verdict jsonb;
