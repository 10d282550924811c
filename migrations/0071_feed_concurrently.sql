-- older code: runs
-- Of src/webhooks/feed: the events of a merchant in the order of the feed. With their types, so that a reader of some types passes the others without
-- reading their rows.

create index concurrently if not exists events_feed on events (merchant_id, livemode, epoch, tx, id) include (type);
