-- Every object of the embedded Kubernetes API. The process that serves it keeps all of them in memory and is the only
-- writer; it reads the table once, at its start. The primary key serves the upserts and deletes of a commit.
CREATE TABLE objects (
  resource text NOT NULL,            -- "pods", "trials.det-operator.dev"
  ns text NOT NULL,                  -- empty for cluster-scoped objects
  name text NOT NULL,
  version bigint NOT NULL,           -- metadata.resourceVersion
  created bigint NOT NULL,           -- the version of its creation
  data text NOT NULL,                -- the object as JSON; text, because jsonb refuses \u0000 and reorders
  PRIMARY KEY (resource, ns, name)
);

-- One row: the last version that was given out. A commit moves it from the value its writer knows, so that a second
-- writer is found out instead of mixed in.
CREATE TABLE state (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL);
INSERT INTO state (version) VALUES (1);
