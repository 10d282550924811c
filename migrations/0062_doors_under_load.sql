-- older code: stops
-- Of src/people: the secret that a page shows for a phone travels sealed in its form, so that opening a page writes nothing. A link counts its
-- wrong acceptances, and rests after ten.

drop table offered_telephones;

alter table invitations
  add column wrong integer not null default 0 check (wrong >= 0),
  add column wrong_at timestamptz;
