-- What the proxy reaches: ports of pods, published by the leader, read by every replica.
CREATE TABLE proxy_services (
  id text PRIMARY KEY,  -- "<task id>" or "<task id>:<port>"; ServiceStore::find
  task_id text NOT NULL,
  allocation_id text NOT NULL REFERENCES allocations ON DELETE CASCADE,
  address text NOT NULL,
  port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
  is_tcp boolean NOT NULL,
  is_unauthenticated boolean NOT NULL,
  is_tls boolean NOT NULL,
  is_shared boolean NOT NULL,
  owner_id bigint NOT NULL REFERENCES users,
  token_hash text NOT NULL DEFAULT '',  -- SHA-256 hex of the notebook's token
  last_request timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX proxy_services_task ON proxy_services (task_id);              -- ServiceStore::publish, last_requests
CREATE INDEX proxy_services_allocation ON proxy_services (allocation_id);  -- the cascade

-- What tickets and cookies of the proxy are signed with, the same in all replicas; made once.
CREATE TABLE proxy_key (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  key text NOT NULL
);

-- Tickets that were exchanged and could be shown again before they end.
CREATE TABLE proxy_used_tickets (
  nonce text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
