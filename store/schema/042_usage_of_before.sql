-- Runs of before migration 041. When they got their nodes was not kept, so that they count from when their program said that it was ready. The triggers
-- are there already: this holds nobody up.
SELECT count(begin_usage(a.id, coalesce(a.ready_at, a.created_at))) FROM allocations a
WHERE EXISTS (SELECT 1 FROM allocation_resources r WHERE r.allocation_id = a.id AND r.node <> '');

-- Those that end meanwhile have no row yet whose end their trigger could note.
LOCK TABLE allocations IN SHARE ROW EXCLUSIVE MODE;
UPDATE allocation_usage u SET ended_at = a.ended_at FROM allocations a
WHERE u.ended_at IS NULL AND a.id = u.allocation_id AND a.ended_at IS NOT NULL;
