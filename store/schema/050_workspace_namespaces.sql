-- Where what REST starts in a workspace has its objects and pods. Empty: where the operator is told to (api::Settings::ns).
ALTER TABLE workspaces ADD COLUMN task_namespace text NOT NULL DEFAULT '';
