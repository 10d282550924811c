-- Payments that were there already. Of those whose references are one when compared, the first has the compared form; the others
-- keep the one they were written in, because what was taken twice cannot be undone. Read beside the traffic.
set local statement_timeout = 0;
update payments p
   set reference_key = first.key
  from (
    select distinct on (merchant_id, livemode, key) id, merchant_id, livemode, key
      from (select id, merchant_id, livemode, merchant_reference, comparable_reference(merchant_reference) as key
              from payments
             where octet_length(merchant_reference) <> char_length(merchant_reference)) as written
     where key <> merchant_reference
     order by merchant_id, livemode, key, id
  ) as first
 where (p.id, p.merchant_id, p.livemode) = (first.id, first.merchant_id, first.livemode)
   and not exists (
     select from payments other
      where (other.merchant_id, other.livemode) = (first.merchant_id, first.livemode)
        and coalesce(other.reference_key, other.merchant_reference) = first.key);
