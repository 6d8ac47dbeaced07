-- When a user logged in last, and what pages keep for each user.
ALTER TABLE users ADD COLUMN last_auth_at timestamptz;

CREATE TABLE user_settings (
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  storage_path text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (user_id, storage_path, key)
);
