-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. In the order in which those lock
-- who write.
set local lock_timeout = '5s';
lock table events, deliveries in share update exclusive mode;
set local lock_timeout = '500ms';
lock table events, deliveries in access exclusive mode;

-- As for payments.
alter table deliveries drop constraint deliveries_merchant_id_livemode_event_id_fkey;

alter table events
  drop constraint events_pkey,
  add constraint events_pkey primary key using index events_by_id;
drop index events_about;
alter index events_by_subject rename to events_about;
alter table deliveries
  drop constraint deliveries_pkey,
  add constraint deliveries_pkey primary key using index deliveries_by_id,
  drop constraint deliveries_merchant_id_livemode_event_id_endpoint_id_key,
  add constraint deliveries_event_key unique using index deliveries_by_event;

alter table deliveries
  add foreign key (merchant_id, livemode, event_id) references events (merchant_id, livemode, id) not valid;
