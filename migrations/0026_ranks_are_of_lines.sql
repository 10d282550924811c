-- Only the line of a batch has a rank; every other payout paid for an entry in the index that says nothing.
create unique index payouts_rank_key on payouts (merchant_id, livemode, batch_id, rank) where batch_id is not null;
alter table payouts drop constraint payouts_merchant_id_livemode_batch_id_rank_key;
