-- Who is told what by HTTP, and what there is to tell.
CREATE TABLE webhooks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  url text NOT NULL,                                             -- may hold secrets
  form text NOT NULL,                                            -- DEFAULT, SLACK
  mode text NOT NULL,                                            -- WORKSPACE, SPECIFIC
  workspace_id bigint REFERENCES workspaces ON DELETE CASCADE,   -- NULL: of all
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhooks_workspace ON webhooks (workspace_id);
CREATE TABLE webhook_triggers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id bigint NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  cause text NOT NULL,            -- EXPERIMENT_STATE_CHANGE, TASK_LOG, CUSTOM
  condition jsonb NOT NULL        -- {"state"}, {"regex"}, {}
);
CREATE INDEX webhook_triggers_webhook ON webhook_triggers (webhook_id);
CREATE INDEX webhook_triggers_cause ON webhook_triggers (cause);  -- WebhookEventStore
-- Of one task a trigger tells once.
CREATE TABLE webhook_log_matches (
  task_number integer NOT NULL REFERENCES tasks ON DELETE CASCADE,
  trigger_id bigint NOT NULL REFERENCES webhook_triggers ON DELETE CASCADE,
  PRIMARY KEY (task_number, trigger_id)
);
CREATE INDEX webhook_log_matches_trigger ON webhook_log_matches (trigger_id);
CREATE TABLE webhook_deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id bigint NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id uuid NOT NULL DEFAULT gen_random_uuid(),
  cause text NOT NULL,
  facts jsonb NOT NULL,           -- what the message is made of
  created_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'WAITING',  -- WAITING, DELIVERED, FAILED
  next_at timestamptz NOT NULL DEFAULT now(),  -- of WAITING: not before; also how long whoever sends it may take
  attempts integer NOT NULL DEFAULT 0,
  status integer,                 -- of the latest answer
  error text NOT NULL DEFAULT '',
  finished_at timestamptz
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE state = 'WAITING';  -- DeliveryStore::claim
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id) WHERE state = 'WAITING';
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, id);       -- DeliveryStore::list
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at);        -- DeliveryStore::forget_old
