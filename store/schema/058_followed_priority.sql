-- The priority of a Task's object that was followed last: one that differs is an edit, and counts from then on, also
-- after somebody set another over REST. NULL: none since it was accepted.
ALTER TABLE standalone_tasks ADD COLUMN IF NOT EXISTS followed_priority integer;
