-- The simulator promises to carry out a reference once. It always has, because we sent each once; a row that says otherwise would keep
-- the next file from building its unique index. Only test mode writes here.
delete from simulator_orders o
 using (select reference, merchant_id, livemode, min(ctid) as first
          from simulator_orders
         group by reference, merchant_id, livemode
        having count(*) > 1) twice
 where (o.reference, o.merchant_id, o.livemode) = (twice.reference, twice.merchant_id, twice.livemode)
   and o.ctid <> twice.first;
