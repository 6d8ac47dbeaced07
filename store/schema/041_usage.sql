-- UsageStore: who held slots, when and how many. A row outlives the experiment, the task and their projects, so it refers to nothing. Triggers
-- write it, so that the program before this one does, too.
CREATE TABLE allocation_usage (
  allocation_id text PRIMARY KEY,
  task_type text NOT NULL,
  owner_id bigint NOT NULL,
  username text NOT NULL,         -- when it began; shown only when the user is gone
  workspace_name text NOT NULL,   -- when it began
  experiment_id bigint,
  labels jsonb NOT NULL,          -- a list of texts
  resource_pool text NOT NULL,    -- empty: the default one
  slots integer NOT NULL,
  started_at timestamptz NOT NULL,  -- its first pod was put on a node
  ended_at timestamptz
);
CREATE INDEX allocation_usage_started ON allocation_usage (started_at, allocation_id);  -- UsageStore::page

CREATE FUNCTION begin_usage(allocation text, at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO allocation_usage
  SELECT a.id, k.type, a.owner_id, u.username, coalesce(w.name, ''), e.id, coalesce(e.labels, '[]'::jsonb),
    coalesce(s.config #>> '{resources,resource_pool}', e.config #>> '{resources,resource_pool}', ''), a.slots, at, a.ended_at
  FROM allocations a JOIN tasks k ON k.number = a.task_number JOIN users u ON u.id = a.owner_id
  LEFT JOIN trials t ON t.id = a.trial_id LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN projects p ON p.id = e.project_id
  LEFT JOIN standalone_tasks s ON s.task_number = a.task_number LEFT JOIN workspaces w ON w.id = coalesce(p.workspace_id, s.workspace_id)
  WHERE a.id = allocation ON CONFLICT (allocation_id) DO NOTHING
$$;

CREATE FUNCTION note_usage_begun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM begin_usage(NEW.allocation_id, now());
  RETURN NULL;
END $$;
CREATE TRIGGER usage_begun_at_once AFTER INSERT ON allocation_resources FOR EACH ROW WHEN (NEW.node <> '')
  EXECUTE FUNCTION note_usage_begun();
CREATE TRIGGER usage_begun AFTER UPDATE OF node ON allocation_resources FOR EACH ROW WHEN (OLD.node = '' AND NEW.node <> '')
  EXECUTE FUNCTION note_usage_begun();

CREATE FUNCTION note_usage_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE allocation_usage SET ended_at = CASE WHEN TG_OP = 'DELETE' THEN now() ELSE NEW.ended_at END
  WHERE allocation_id = OLD.id AND ended_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_ended AFTER UPDATE OF ended_at ON allocations FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
  EXECUTE FUNCTION note_usage_ended();
CREATE TRIGGER usage_ended_by_removal AFTER DELETE ON allocations FOR EACH ROW WHEN (OLD.ended_at IS NULL)
  EXECUTE FUNCTION note_usage_ended();
