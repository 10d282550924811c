-- How often a number was archived in a merchant's book: asked for the lines of a batch when it is made and when it is executed.
create index concurrently if not exists beneficiaries_archived_msisdn on beneficiaries (merchant_id, livemode, kind, msisdn)
  where not active and msisdn is not null;
