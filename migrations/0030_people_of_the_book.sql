-- older code: stops

-- The book says who brought an entry and who took it out of use.

alter table beneficiaries
  -- `key:…` for an API key, or a person. Null: it came before this was noted, or from a test of the service.
  add column added_by text check (length(added_by) between 1 and 200),
  -- Null: it is active, or was archived before this was noted.
  add column archived_by text check (length(archived_by) between 1 and 200),
  add constraint beneficiaries_archived_by check (archived_by is null or not active);
