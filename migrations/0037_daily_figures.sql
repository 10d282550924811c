-- older code: stops

-- Charts of what grows with every payment and payout. The worker adds to these figures in the transaction in which it lists an operation, so
-- that they are always the sums of listed_operations. Nothing is decided by them.

create table daily_figures (
  merchant_id bigint not null,
  livemode boolean not null,
  kind text not null check (kind in ('payment', 'payout')),
  -- Day of creation in UTC, which is Abidjan's time.
  day date not null,
  -- Empty: none was chosen.
  operator text not null,
  status text not null,
  -- Of those that failed; else empty.
  failure_code text not null,
  -- Of those that succeeded: seconds within which they were confirmed, rounded up to a step; else 0.
  within_seconds integer not null,
  count bigint not null,
  amount bigint not null,
  -- Of those that succeeded; else 0.
  fee_amount bigint not null,
  primary key (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds)
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 0.5);

-- Operations that are listed already are listed again, and counted this time. Until then lists read it where money wrote it.
truncate listed_operations;
update listing_progress
   set before_id = '';
