-- Indexes for keys that begin with the identifier. The next file puts them in the place of those that begin with the merchant.
create unique index concurrently if not exists orders_by_id on orders (id, merchant_id);
create unique index concurrently if not exists order_moves_by_order on order_moves (order_id, merchant_id, number);
