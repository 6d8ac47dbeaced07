-- A webhook is tried with one message at a time, and webhooks take turns: whose last attempt is longest ago comes first,
-- those whose receivers were slow to answer come last.
ALTER TABLE webhooks ADD COLUMN tried_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE webhooks ADD COLUMN busy_until timestamptz NOT NULL DEFAULT '-infinity';  -- somebody tries it
ALTER TABLE webhooks ADD COLUMN is_slow boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (webhook_id, next_at, id)
  WHERE state = 'WAITING';  -- DeliveryStore::claim, next_due; WebhookEventStore
DROP INDEX webhook_deliveries_due;
DROP INDEX webhook_deliveries_waiting;
