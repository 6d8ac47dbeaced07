-- What administrators tell everybody. There is one at most.
CREATE TABLE cluster_message (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  message text NOT NULL,
  author_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  start_at timestamptz NOT NULL,
  end_at timestamptz,  -- NULL: until it is cleared
  created_at timestamptz NOT NULL DEFAULT now()
);
