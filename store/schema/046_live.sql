-- What pages are told of that watch (channel det_live, store/channels.h). Metrics and progress are not among it: the process that takes reports
-- says so a few times a second for all of them together, so that a report costs no notification. Texts that are the same are sent once for
-- each transaction. Triggers say it, so that the program before this one does, too.

CREATE FUNCTION tell_live_of_experiment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('det_live', 'e' || CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
  RETURN NULL;
END $$;
CREATE TRIGGER live_experiment AFTER INSERT OR DELETE ON experiments FOR EACH ROW EXECUTE FUNCTION tell_live_of_experiment();
CREATE TRIGGER live_experiment_changed
  AFTER UPDATE OF state, message, name, description, labels, notes, archived, live, project_id, config, queue_place ON experiments
  FOR EACH ROW WHEN ((OLD.state, OLD.message, OLD.name, OLD.description, OLD.labels, OLD.notes, OLD.archived, OLD.live, OLD.project_id,
    OLD.config_hash, OLD.queue_place) IS DISTINCT FROM (NEW.state, NEW.message, NEW.name, NEW.description, NEW.labels, NEW.notes, NEW.archived,
    NEW.live, NEW.project_id, NEW.config_hash, NEW.queue_place))
  EXECUTE FUNCTION tell_live_of_experiment();

-- Trials that go with their experiment are not told of one by one.
CREATE FUNCTION tell_live_of_trial() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('det_live', 't' || NEW.id || ':' || NEW.experiment_id);
  RETURN NULL;
END $$;
CREATE TRIGGER live_trial AFTER INSERT ON trials FOR EACH ROW EXECUTE FUNCTION tell_live_of_trial();
CREATE TRIGGER live_trial_changed AFTER UPDATE OF state, run, restarts, infra_restarts, runner_state, exit_reason, archived ON trials
  FOR EACH ROW WHEN ((OLD.state, OLD.run, OLD.restarts, OLD.infra_restarts, OLD.runner_state, OLD.exit_reason, OLD.archived) IS DISTINCT FROM
    (NEW.state, NEW.run, NEW.restarts, NEW.infra_restarts, NEW.runner_state, NEW.exit_reason, NEW.archived))
  EXECUTE FUNCTION tell_live_of_trial();

-- Its runs and checkpoints are a trial's.
CREATE FUNCTION tell_live_of_part_of_trial() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('det_live', 't' || t.id || ':' || t.experiment_id) FROM trials t WHERE t.id = NEW.trial_id;
  RETURN NULL;
END $$;
CREATE TRIGGER live_run AFTER INSERT OR UPDATE OF state, ready_at, ended_at ON allocations FOR EACH ROW WHEN (NEW.trial_id IS NOT NULL)
  EXECUTE FUNCTION tell_live_of_part_of_trial();
CREATE TRIGGER live_checkpoint AFTER INSERT OR UPDATE OF state ON checkpoints FOR EACH ROW WHEN (NEW.trial_id IS NOT NULL)
  EXECUTE FUNCTION tell_live_of_part_of_trial();

CREATE FUNCTION tell_live_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('det_live', 'k' || k.id) FROM tasks k WHERE k.number = NEW.task_number;
  RETURN NULL;
END $$;
CREATE TRIGGER live_task AFTER INSERT OR UPDATE OF state, priority, queue_place ON standalone_tasks FOR EACH ROW
  EXECUTE FUNCTION tell_live_of_task();

-- Of these it is not said which: a trigger for each statement says it once.
CREATE FUNCTION tell_live() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('det_live', TG_ARGV[0]);
  RETURN NULL;
END $$;
CREATE TRIGGER live_models AFTER INSERT OR UPDATE OR DELETE ON models EXECUTE FUNCTION tell_live('m');
CREATE TRIGGER live_model_versions AFTER INSERT OR UPDATE OR DELETE ON model_versions EXECUTE FUNCTION tell_live('m');
CREATE TRIGGER live_workspaces AFTER INSERT OR UPDATE OR DELETE ON workspaces EXECUTE FUNCTION tell_live('w');
CREATE TRIGGER live_projects AFTER INSERT OR UPDATE OR DELETE ON projects EXECUTE FUNCTION tell_live('w');
