-- Whose run said it: a number is good for checkpoints of that experiment and no other. NULL: it was given out before that was written down. No
-- foreign key: checkpoints may outlive their experiment, and numbers of experiments do not come again.
ALTER TABLE storages ADD COLUMN experiment_id bigint;
