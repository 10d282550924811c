-- older code: runs
-- Of src/merchant-files: the documents of a merchant, in both modes. A row is one document, asked for and received once; another copy is another row.

create table merchant_documents (
  merchant_id bigint not null references merchants,
  id text not null,
  kind text not null check (kind in ('rccm', 'tax', 'identity', 'address', 'statutes', 'other')),
  -- The person or the thing that it is about.
  about text check (length(about) between 1 and 200),
  status text not null check (status in ('asked', 'received', 'checked', 'refused', 'erased')),
  asked_by text not null check (length(asked_by) between 1 and 200),
  asked_at timestamptz not null,
  received_by text check (length(received_by) between 1 and 200),
  received_at timestamptz,
  -- By its first bytes, whatever the browser said.
  file_type text check (file_type in ('pdf', 'jpeg', 'png', 'webp')),
  bytes integer check (bytes between 1 and 8388608),
  hash bytea check (octet_length(hash) = 32),
  decided_by text check (length(decided_by) between 1 and 200),
  decided_at timestamptz,
  -- The last day on which a checked document is valid. Null: without an end.
  valid_until date check (status = 'checked' or valid_until is null),
  -- Why it was refused.
  refusal text check (length(refusal) between 1 and 500),
  -- The pieces of a refused document may be erased. The row stays, with the hash of the file.
  erased_by text check (length(erased_by) between 1 and 200),
  erased_at timestamptz,
  erasure_reason text check (length(erasure_reason) between 1 and 500),
  primary key (merchant_id, id),
  check ((status = 'asked') = (received_at is null)),
  check ((received_at is null) = (received_by is null) and (received_at is null) = (file_type is null)
         and (received_at is null) = (bytes is null) and (received_at is null) = (hash is null)),
  check ((status in ('checked', 'refused', 'erased')) = (decided_at is not null) and (decided_at is null) = (decided_by is null)),
  check ((status in ('refused', 'erased')) = (refusal is not null)),
  check ((status = 'erased') = (erased_at is not null) and (erased_at is null) = (erased_by is null)
         and (erased_at is null) = (erasure_reason is null))
);
create index merchant_documents_by_id on merchant_documents (id);
create trigger merchant_documents_not_deleted before delete on merchant_documents
  for each row execute function refuse_change();

-- The bytes of a document, sealed in pieces of a megabyte.
create table merchant_document_bytes (
  merchant_id bigint not null,
  document_id text not null,
  piece integer not null check (piece between 0 and 7),
  sealed bytea not null,
  primary key (merchant_id, document_id, piece),
  foreign key (merchant_id, document_id) references merchant_documents (merchant_id, id)
);
create function check_document_bytes() returns trigger
  language plpgsql as $$
begin
  if exists (select from merchant_documents d
              where d.merchant_id = old.merchant_id and d.id = old.document_id and d.status = 'erased') then
    return old;
  end if;
  raise exception '% of a document that is not erased is refused', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger merchant_document_bytes_fixed before update on merchant_document_bytes
  for each row execute function refuse_change();
create trigger merchant_document_bytes_kept before delete on merchant_document_bytes
  for each row execute function check_document_bytes();
