-- older code: stops

-- Of src/batch-files: batches that people prepare from a file.

create table batch_drafts (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  -- As its maker called it; the reference of the batch that is made of it.
  name text not null check (length(name) between 1 and 255),
  -- The file as it came. Null: the lines are the failed ones of another batch.
  file_name text check (length(file_name) between 1 and 255),
  file_sha256 bytea check (octet_length(file_sha256) = 32),
  file_content bytea check (octet_length(file_content) between 1 and 5242880),
  from_batch_id text,
  -- How the file was read: its form, its encoding, the titles that were left aside.
  reading jsonb not null,
  -- Its lines as they were read and mended, in the order of the file.
  lines jsonb not null check (jsonb_array_length(lines) <= 500),
  -- Grows with each change, so that a batch is made of the lines that its maker has seen.
  version integer not null default 1,
  made_by text not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  primary key (merchant_id, livemode, id),
  constraint batch_drafts_of_a_version unique (merchant_id, livemode, id, version),
  constraint batch_drafts_whole_file
    check ((file_name is null) = (file_sha256 is null) and (file_name is null) = (file_content is null)),
  constraint batch_drafts_from_somewhere check (file_name is null or from_batch_id is null)
);
-- Finds a file that came before.
create index batch_drafts_of_file on batch_drafts (merchant_id, livemode, file_sha256);
create index batch_drafts_of_failed_lines on batch_drafts (merchant_id, livemode, from_batch_id) where from_batch_id is not null;

-- The columns of a file as a person named them, so that the next file with the same titles is read by it.
create table batch_file_columns (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The titles as they are compared, or the number of columns of a file without titles, as a digest.
  header_sha256 bytea not null check (octet_length(header_sha256) = 32),
  -- For each column of the file what it is; null: it is left aside.
  columns jsonb not null check (jsonb_array_length(columns) <= 64),
  assigned_by text not null,
  assigned_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, header_sha256)
);

-- The batch that was made of a draft: one, whatever our code believes. From then on the draft is its file, and does not change.
create table drafted_batches (
  merchant_id bigint not null,
  livemode boolean not null,
  draft_id text not null,
  version integer not null,
  batch_id text not null,
  primary key (merchant_id, livemode, draft_id),
  constraint drafted_batches_of_a_batch unique (merchant_id, livemode, batch_id),
  constraint drafted_batches_draft
    foreign key (merchant_id, livemode, draft_id, version) references batch_drafts (merchant_id, livemode, id, version),
  foreign key (merchant_id, livemode, batch_id) references payout_batches
);
