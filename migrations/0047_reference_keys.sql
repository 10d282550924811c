-- The form of a payment's reference in which it is unique (comparable_reference), where it differs from the reference as it was
-- written; null: it is the same, as nearly always.
alter table payments add column reference_key text;
