-- older code: runs
-- Of src/checkout: the address of a link may carry an amount and a reference (link-address.ts), and a link a reference, a WhatsApp number and a handle.

alter table payment_links
  -- The merchant's own label, such as an order's number; not unique.
  add column reference text check (char_length(reference) between 1 and 40),
  -- The number, digits alone with the country's, to which a payer may send their receipt by WhatsApp.
  add column whatsapp text check (whatsapp ~ '^[1-9][0-9]{7,14}$'),
  -- The newest name in the link's short address. Earlier names lead to it for ever, through checkout_tokens.
  add column handle text check (handle ~ '^[a-z0-9-]{3,30}$');

alter table checkout_sessions
  add column reference text,
  -- True: the amount came from the address of a link whose payers choose.
  add column amount_in_address boolean not null default false;

create or replace trigger checkout_sessions_fixed before update on checkout_sessions
  for each row when (
    (old.amount, old.currency, old.return_url, old.link_id, old.expires_at, old.reference, old.amount_in_address)
    is distinct from
    (new.amount, new.currency, new.return_url, new.link_id, new.expires_at, new.reference, new.amount_in_address)
    or (old.status = 'paid' and old.payment_id is distinct from new.payment_id))
  execute function check_checkout_session_facts();
