-- ActivityStore: which projects somebody looked at, and when last.
CREATE TABLE project_visits (
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
  visited_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, project_id)
);
CREATE INDEX project_visits_project ON project_visits (project_id);  -- projects that are deleted
