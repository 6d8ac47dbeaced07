-- What base/audit_log.h tells, where master.yaml's audit.database says so. Nothing refers to it.
CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  action text NOT NULL,
  username text NOT NULL,
  token text NOT NULL,
  object text NOT NULL,
  origin text NOT NULL,
  forwarded text NOT NULL,
  status integer NOT NULL,
  reason text NOT NULL
);
CREATE INDEX audit_events_at ON audit_events (at);  -- AuditStore::remove_before, and people who look for a day
