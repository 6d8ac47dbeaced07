-- Configuration templates: parts of configurations that people share by name.
CREATE TABLE templates (
  name text PRIMARY KEY CHECK (name <> ''),
  config jsonb NOT NULL,  -- as it was written; checked where it is used
  workspace_id bigint NOT NULL REFERENCES workspaces,
  modified_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX templates_workspace ON templates (workspace_id);  -- TemplateStore::list by workspace
