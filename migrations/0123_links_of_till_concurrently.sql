-- older code: runs
-- The links that a till has sent, the newest first: for its takings of the day.
create index concurrently if not exists payment_links_of_till
  on payment_links (merchant_id, livemode, till_id, id) where till_id is not null;
