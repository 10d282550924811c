import type { BatchRow, LineRow } from '../payout-batches/batch.ts'
import { keyOf, readLines } from '../payout-batches/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { DraftLine } from './batch-draft.ts'
import { insertOne, type KeepDraftResult, NAME_MAX } from './keep-draft.ts'

export type DraftFailedResult =
  | Extract<KeepDraftResult, { kind: 'kept' }>
  | { kind: 'refused'; refusal: { code: 'no_failed_lines' } | { code: 'too_many_drafts' } }

/**
 * Makes a draft of the failed lines of a batch. The batch must have ended, because until then more lines may fail. A line whose payout is
 * in doubt is left out, because its money may have arrived. A repeated call returns the draft that is still open.
 * @param left_out payouts whose lines are left out too, because their operator says that the money moved
 */
export async function draftFailedLines(
  { sql, clock }: { sql: Sql; clock: Clock },
  batch: BatchRow,
  actor: Actor,
  { tenant, name, left_out }: { tenant: Tenant; name: string; left_out: ReadonlySet<string> },
): Promise<DraftFailedResult> {
  const key = keyOf(batch)
  const lines = batch.finished_at === null ? [] : await readLines(sql, key)
  const failed = lines.filter(({ status, payout_id }) => status === 'failed' && !left_out.has(payout_id ?? ''))
  if (failed.length === 0) return { kind: 'refused', refusal: { code: 'no_failed_lines' } }
  const made = await insertOne({ sql, clock }, tenant, actor, {
    name: name.slice(0, NAME_MAX),
    file_name: null,
    file_sha256: null,
    file_content: null,
    from_batch_id: batch.id,
    reading: { form: 'batch', ignored: [] },
    lines: failed.map(lineOf),
    replaces: null,
  })
  return made.kind === 'kept' ? made : { kind: 'refused', refusal: { code: 'too_many_drafts' } }
}

/** Returns a line as a file would have it. A line that names an entry of the book still names it. */
function lineOf({
  rank,
  amount,
  reference,
  is_inline,
  beneficiary_id,
  name,
  label,
  msisdn,
  operator,
}: LineRow): DraftLine {
  const to =
    is_inline || beneficiary_id === null
      ? { name: name ?? label ?? '', msisdn: msisdn.replace(/^\+225/, ''), ...(operator !== null && { operator }) }
      : { beneficiary_id }
  return { line: rank, cells: { ...to, amount: String(amount), ...(reference !== null && { reference }) } }
}
