-- Adds to each book the entries from before the triggers of 0040_book_sizes.sql. One statement reads entries and sizes at one moment:
-- what it finds of a book, less what the triggers had counted of it by then, is what they never saw. That is added to the size as it
-- is now, so those who write meanwhile lose nothing and wait only for the moment in which the sizes are written.
set local enable_seqscan = on;
set local enable_hashjoin = on;
set local enable_mergejoin = on;

insert into book_sizes as s (merchant_id, livemode, active, archived)
select b.merchant_id, b.livemode, b.active - coalesce(k.active, 0), b.archived - coalesce(k.archived, 0)
  from (select merchant_id, livemode, count(*) filter (where active) as active, count(*) filter (where not active) as archived
          from beneficiaries
         group by merchant_id, livemode) b
  left join book_sizes k on (k.merchant_id, k.livemode) = (b.merchant_id, b.livemode)
 where (b.active, b.archived) is distinct from (coalesce(k.active, 0), coalesce(k.archived, 0))
 order by b.merchant_id, b.livemode
on conflict (merchant_id, livemode) do update
   set active = s.active + excluded.active, archived = s.archived + excluded.archived;
