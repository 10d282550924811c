-- Takes the place of payments_reference_key.
create unique index concurrently if not exists payments_compared_reference_key
  on payments (merchant_id, livemode, (coalesce(reference_key, merchant_reference)));
