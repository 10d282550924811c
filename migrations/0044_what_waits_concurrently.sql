-- What waits for a person, by the identifier that begins with its time: the oldest is asked for every few seconds, and the list of them
-- by whoever decides. Few rows are in these states at a time.

create index concurrently if not exists payout_requests_waiting on payout_requests (id) where status = 'pending_approval';
create index concurrently if not exists payout_batches_waiting on payout_batches (id) where status = 'en_attente_validation';
