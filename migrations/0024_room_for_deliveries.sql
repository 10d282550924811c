-- A delivery is taken and ended within moments of its making: room for both on its own page.
alter table deliveries set (fillfactor = 60);
