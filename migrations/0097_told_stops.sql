-- older code: runs
-- Of src/payouts: merchants are told once of a stop, by the job that its transaction adds.

alter table payout_stops
  add column told_at timestamptz;
