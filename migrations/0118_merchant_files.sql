-- older code: runs
-- Of src/merchant-files: what the company knows of a merchant's business, in both modes.

create table merchant_files (
  merchant_id bigint not null primary key references merchants,
  legal_name text check (length(legal_name) between 1 and 200),
  legal_form text check (legal_form in ('sole_trader', 'entreprenant', 'sarl', 'suarl', 'sa', 'sas', 'snc', 'gie', 'cooperative', 'association', 'public_body', 'other')),
  -- The number of the trade register (RCCM), and the day of the registration.
  rccm text check (length(rccm) between 1 and 40),
  registered_on date,
  -- The taxpayer's number (NCC).
  tax_number text check (tax_number ~ '^[0-9]{7}[A-Z]$'),
  tax_regime text check (tax_regime in ('tce', 'tee', 'rme', 'rsi', 'rni')),
  tax_regime_since date check (tax_regime is not null or tax_regime_since is null),
  activity text check (length(activity) between 1 and 200),
  address text check (length(address) between 1 and 200),
  contact_name text check (length(contact_name) between 1 and 200),
  contact_number text check (contact_number ~ '^\+225[0-9]{10}$'),
  contact_email text check (length(contact_email) between 3 and 200),
  changed_at timestamptz not null
);
create index merchant_files_by_tax_number on merchant_files (tax_number) where tax_number is not null;
create trigger merchant_files_not_deleted before delete on merchant_files
  for each row execute function refuse_change();

-- The people who own more than a quarter of a merchant. An owner who leaves stays with the day of the end.
create table merchant_owners (
  merchant_id bigint not null references merchants,
  id text not null,
  name text not null check (length(name) between 1 and 200),
  -- Hundredths of a percent.
  share_basis_points integer not null check (share_basis_points between 2501 and 10000),
  added_at timestamptz not null,
  ended_at timestamptz,
  primary key (merchant_id, id)
);
create index merchant_owners_by_id on merchant_owners (id);
create trigger merchant_owners_not_deleted before delete on merchant_owners
  for each row execute function refuse_change();
