-- older code: runs
-- Of src/payout-batches: the approved batches that wait to be executed, which each first page of a merchant reads, and again while it is open.

create index concurrently if not exists payout_batches_to_launch on payout_batches (merchant_id, livemode, id)
 where status = 'brouillon' and approved_at is not null;
