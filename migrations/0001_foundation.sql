-- older code: stops

-- The foundation: time, how texts of people are compared, merchants and what the service charges them.
--
-- Every table of a merchant's data has merchant_id and livemode in its primary, unique and foreign keys: the database can be
-- distributed by merchant without a change, and a row of test mode can never point to a row of live mode. They lead the key, so that a
-- merchant's rows stand together. Where a table grows with every payment or payout and its rows are not read in a row, an identifier of
-- ours leads and they follow: it begins with its time, so that new rows meet at the end of an index. The few tables without them are
-- lookups, through which a key or an operator's reference finds its merchant.
--
-- Storage settings stand with each table. Tables that grow with every payment are vacuumed from ten thousand new rows on, where PostgreSQL
-- waits for a fifth of the table. The pages it marks then are still in memory, and most of them went to the log since the last checkpoint; later
-- they would have to be read from the disk, and every page would go to the log whole, while commits wait. Of rows that hardly change
-- once they are written it freezes all, so that nobody has to write the page again when their transaction has grown old. Where rows go by
-- their age, vacuums wait for a fiftieth of the table besides: they leave room in the indexes, which are read whole to find it. Statistics
-- are taken when a table has grown by half, not by a tenth: they hardly change any more, and a sample of thirty thousand rows takes up to a
-- second of a core. Rows that change three times while they are young say so with 1.5, and find room for it on their own page (`fillfactor`).

-- The time of all decisions. A function of its own, so that a test can live through thirty days in a second.
create function clock_now() returns timestamptz
  language sql stable parallel safe
  return now();

create function refuse_change() returns trigger
  language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

-- The forms in which texts are compared that a person wrote; src/values/comparable.ts has the same two functions. The
-- characters taken out are Unicode's Default_Ignorable_Code_Point: nobody sees them. A text of one byte for each character
-- is in both forms already.
create function comparable_reference(written text) returns text
  language sql immutable strict parallel safe as $$
    select case when octet_length(written) = char_length(written) then written
      else normalize(regexp_replace(written,
        '[\u00AD\u034F\u061C\u115F-\u1160\u17B4-\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
        '', 'g'), NFC) end
  $$;

-- Functions of an index name the functions that they call when they are created: an index is built without a search path.
create function comparable_person(written text) returns text
  language sql immutable strict parallel safe
  return normalize(comparable_reference(written), NFKC);

-- The form in which two people are compared, as `normalizePerson` in src/values/independent-approver.ts writes them.
create function person_in(written text) returns text
  language sql immutable strict parallel safe
  return lower(btrim(regexp_replace(comparable_person(written), '\s+', ' ', 'g')));

-- The form in which two references of a bank are compared: spaces and letter case count no more than what nobody sees.
create function bank_reference_in(written text) returns text
  language sql immutable strict parallel safe
  return upper(regexp_replace(comparable_person(written), '\s', '', 'g'));

create table merchants (
  merchant_id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  active boolean not null default true,
  -- Francs; null: the service's own limit.
  collection_amount_max bigint check (collection_amount_max > 0),
  -- Francs that its owner may set again alone until then, after it lowered that limit itself; null: nothing.
  collection_amount_undo bigint check (collection_amount_undo > 0),
  collection_amount_undo_until timestamptz,
  -- How its pages look: the colour of their button, and a picture as it stands inside them (8 192 bytes in base64). Both are checked
  -- before they are written (src/merchants/brand-color.ts, brand-logo.ts); what is refused here could not be shown safely.
  brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  brand_logo text
    check (length(brand_logo) <= 11000 and brand_logo ~ '^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$'),
  created_at timestamptz not null default clock_now()
);

-- The fees that the service charges. The row in force at creation decides; a later row never touches what exists.
create table fee_schedules (
  merchant_id bigint not null references merchants,
  service text not null check (service in ('collection', 'payout')),
  effective_from timestamptz not null,
  basis_points integer not null default 0 check (basis_points between 0 and 10000),
  fixed bigint not null default 0 check (fixed >= 0),
  minimum bigint not null default 0 check (minimum >= 0),
  maximum bigint check (maximum >= minimum),
  bearer text not null default 'merchant' check (bearer in ('merchant', 'payer')),
  primary key (merchant_id, service, effective_from)
);
create trigger fee_schedules_append_only before update or delete on fee_schedules
  for each row execute function refuse_change();

-- Of src/app/secret-key: a digest under SECRET_KEY, one row. Where there is a connector, a start with another key is refused before it
-- hands out addresses that the right key does not know, or fails to read the secrets of connectors and endpoints.
create table secret_key_check (
  only_row boolean primary key default true check (only_row),
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz not null default clock_now()
);

-- Of src/sdk: the packages for merchants' programs, as this service has ever given them out. Lock files name their addresses and hashes, so a row
-- never changes and never goes.
create table served_files (
  -- The end of its address: its name, with the version and a part of the hash of its content.
  name text primary key check (length(name) between 1 and 200),
  type text not null,
  bytes bytea not null check (octet_length(bytes) > 0),
  sha512 bytea not null check (octet_length(sha512) = 64)
);
