-- older code: runs
-- Of src/operators: the refused orders to look at again. It holds no order that is open or has succeeded.

create index concurrently if not exists instructions_look_again on instructions (look_again_at) where look_again_at is not null;
