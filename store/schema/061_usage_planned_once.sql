-- A function in SQL is planned at each call, which took ten times as long as what it does. Written in PL/pgSQL, a connection plans it once.
CREATE OR REPLACE FUNCTION begin_usage(allocation text, at timestamptz) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO allocation_usage
  SELECT a.id, k.type, a.owner_id, u.username, coalesce(w.name, ''), e.id, coalesce(e.labels, '[]'::jsonb),
    coalesce(s.config #>> '{resources,resource_pool}', a.plan ->> 'resource_pool', e.config #>> '{resources,resource_pool}', ''),
    a.slots, at, a.ended_at
  FROM allocations a JOIN tasks k ON k.number = a.task_number JOIN users u ON u.id = a.owner_id
  LEFT JOIN trials t ON t.id = a.trial_id LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN projects p ON p.id = e.project_id
  LEFT JOIN standalone_tasks s ON s.task_number = a.task_number LEFT JOIN workspaces w ON w.id = coalesce(p.workspace_id, s.workspace_id)
  WHERE a.id = allocation ON CONFLICT (allocation_id) DO NOTHING;
END $$;
