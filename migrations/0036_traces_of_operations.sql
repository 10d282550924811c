-- older code: stops

-- The page of an operation shows the call that made it, and the people who decided on it.

alter table request_log
  -- The id with which the answer to a POST began: the resource that the call made or moved. Null: the call moved none, or was refused.
  add column subject_id text;

-- The request that a payout came of. People decide on each one by hand, so that there are never many.
create index payout_requests_of_payout on payout_requests (merchant_id, livemode, payout_id) where payout_id is not null;
