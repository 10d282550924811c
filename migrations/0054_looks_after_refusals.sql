-- older code: runs
-- Of src/operators: an operator's FAILED may be followed by money (docs/decisions/0154-look-again-after-a-refusal.md).

alter table instructions
  -- When the operator first refused the accepted order without a reason, while it has not said so again.
  add column vague_since timestamptz,
  -- When the service looks again at a refused order that the operator had accepted. Null: never.
  add column look_again_at timestamptz;
