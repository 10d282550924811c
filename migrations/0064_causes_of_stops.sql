-- older code: runs

-- The service stops payouts itself when something is wrong with the place that it runs in. The detail says what; people who lift such a stop say
-- that it is mended, so the same detail never stops again. Null: a person stopped.
alter table payout_stops add column cause text;
alter table payout_stops add column cause_detail text;
