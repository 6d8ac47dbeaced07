-- Who made a template: only he and administrators may change it, because what it says runs with the token of whoever uses
-- it. Of those that are here already nobody knows; they are the administrators'.
ALTER TABLE templates ADD COLUMN owner_id bigint REFERENCES users;
