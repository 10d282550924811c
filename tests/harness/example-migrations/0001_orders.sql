-- An example of a schema that has traffic: orders and their moves, whose keys begin with the merchant.
create table orders (
  merchant_id bigint not null,
  id text not null,
  moves integer not null default 0,
  primary key (merchant_id, id)
);

create table order_moves (
  merchant_id bigint not null,
  order_id text not null,
  number integer not null,
  primary key (merchant_id, order_id, number),
  foreign key (merchant_id, order_id) references orders
);
