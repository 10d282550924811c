-- Events are read by merchants: the newest of some kinds, and those about one resource. Ids grow with time, so both
-- indexes are appended to.
create index events_of_kind on events (merchant_id, livemode, type, id);
create index events_about on events (merchant_id, livemode, subject_id, id);
-- A test is asked for by the endpoint's id alone.
create index endpoints_by_id on endpoints (id);
