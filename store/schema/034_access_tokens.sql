-- Tokens that people make for scripts: they end at a time of their own, or when they are revoked. Only hashes are kept.
CREATE TABLE access_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,  -- AccessTokenStore::find_user
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX access_tokens_user ON access_tokens (user_id);
