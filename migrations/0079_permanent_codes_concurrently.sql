-- older code: runs
-- Of src/checkout: the permanent codes of a shop and its tills, which the page of a sale looks for each time, among links without number.

create index concurrently if not exists payment_links_permanent on payment_links (merchant_id, livemode, id)
 where reusable and amount is null and expires_at is null and status = 'open';
