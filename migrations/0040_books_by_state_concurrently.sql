-- Pages of active or of archived entries, also where the others are a million. It takes the place of beneficiaries_order: a page of all
-- entries merges the two halves.
create index concurrently if not exists beneficiaries_by_state
  on beneficiaries (merchant_id, livemode, active, created_at, id);
