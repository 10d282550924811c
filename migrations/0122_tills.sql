-- older code: runs
-- Of src/checkout/till: the cashiers of a till, and the links that are sent from it, whose payments are its takings too.

create table till_people (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The permanent code of the till.
  link_id text not null,
  person_id text not null,
  -- A person, in the form of the audit log.
  added_by text not null,
  -- Counts while the person's role of a cashier is older.
  added_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, link_id, person_id),
  foreign key (merchant_id, livemode, link_id) references payment_links
);
create index till_people_of_person on till_people (person_id, merchant_id, livemode);

alter table payment_links
  -- The permanent code of the till that sent this link. Its sessions are found by it.
  add column till_id text;

create or replace view shown_payments as
 select merchant_id, livemode, id, status, operator, "right"(msisdn, 2) as msisdn_end, amount, amount_collected, merchant_reference,
        failure_code, created_at, succeeded_at, failed_at,
        (select max(m.transitioned_at)
           from payment_transitions_log m
          where m.merchant_id = p.merchant_id and m.livemode = p.livemode and m.payment_id = p.id) as transitioned_at,
        "right"(msisdn, 4) as msisdn_last4
   from payments p;
