-- What people gave, by which a later edit of the object is seen; when a notebook's programs were last in use, as it says itself.
ALTER TABLE standalone_tasks
  ADD COLUMN submitted jsonb,
  ADD COLUMN active_at timestamptz;
