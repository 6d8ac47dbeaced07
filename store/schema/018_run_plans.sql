-- What all pods of a run are like, decided when it starts (store/trials/run_plan.h): those that are made later do not differ. NULL
-- in rows of programs that decided it anew each time.
ALTER TABLE allocations ADD COLUMN plan jsonb;
