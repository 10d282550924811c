-- Only the line of a batch has a rank; every other payout paid for an entry in the index that says nothing. On a large table it may be
-- made before, with `concurrently`, under this name.
create unique index if not exists payouts_rank_key on payouts (merchant_id, livemode, batch_id, rank) where batch_id is not null;
