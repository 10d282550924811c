-- older code: stops

-- Of src/payout-batches: who sent a batch.

alter table payout_batches
  -- The person, or `key:…` for an API key. Null: not executed, or by a version that did not note it.
  add column executed_by text;
