-- By itself, so that no migration holds a lock of the table while it waits for a stronger one.
alter table payouts drop constraint payouts_merchant_id_livemode_batch_id_rank_key;
