-- older code: stops

-- Of src/merchants.

create view merchant_names as
select merchant_id, name
  from merchants;
comment on view merchant_names is 'The name of a merchant: for the pages that show a person the merchants where they have a role.';
