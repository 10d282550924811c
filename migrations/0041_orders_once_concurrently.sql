-- Becomes the key of the simulator's journal in the next file.
create unique index concurrently if not exists simulator_orders_by_reference
  on simulator_orders (reference, merchant_id, livemode);
