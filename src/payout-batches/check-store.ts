import type { NameMatch } from '../operators/port.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import type { BatchKey } from './store.ts'

/** The current check of one line. */
export type LineCheckRow = {
  rank: number
  operator: string | null
  name_check: NameMatch | null
  name_checked_at: Date | null
  /** Since when a job asks its operator; null: none does. */
  name_check_asked_at: Date | null
}

/** Reads the checks of a batch's lines, in the order of their ranks. */
export async function readLineChecks(db: Db, key: BatchKey): Promise<LineCheckRow[]> {
  return db<LineCheckRow[]>`
    select rank, operator, name_check, name_checked_at, name_check_asked_at
      from payout_batch_lines
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and batch_id = ${key.batch_id}
     order by rank`
}

/**
 * Marks the lines of a locked draft to check, and returns them: those without a result, or with `unknown`, for which no job asks.
 * @param forgotten a line whose check began at this moment or earlier is checked again, because its job was lost
 */
export async function markLinesAsked(
  tx: Tx,
  { merchant_id, livemode, batch_id }: BatchKey,
  { now, forgotten }: { now: Date; forgotten: Date },
): Promise<{ rank: number; operator: string | null }[]> {
  return tx<{ rank: number; operator: string | null }[]>`
    update payout_batch_lines
       set name_check_asked_at = ${now}, name_check = null, name_checked_at = null
     where merchant_id = ${merchant_id} and livemode = ${livemode} and batch_id = ${batch_id}
       and (name_check is null or name_check = 'unknown')
       and (name_check_asked_at is null or name_check_asked_at <= ${forgotten})
    returning rank, operator`
}

/** The fields of a line that its operator checks. */
export type AskedLine = { rank: number; msisdn: string; operator: string | null; name: string | null }

/** Reads those of these lines that still wait for a result. None once the batch is no longer a draft. */
export async function readAskedLines(db: Db, key: BatchKey, ranks: readonly number[]): Promise<AskedLine[]> {
  const { merchant_id, livemode, batch_id } = key
  return db<AskedLine[]>`
    select l.rank, l.msisdn, l.operator, l.name
      from payout_batch_lines l
      join payout_batches b on (b.merchant_id, b.livemode, b.id) = (l.merchant_id, l.livemode, l.batch_id)
     where l.merchant_id = ${merchant_id} and l.livemode = ${livemode} and l.batch_id = ${batch_id}
       and l.rank = any(${ranks}::integer[]) and l.name_check_asked_at is not null
       and b.status in ('brouillon', 'en_attente_validation')
     order by l.rank`
}

/** Writes the result for a line, unless the line was amended since it was read. */
export async function writeLineCheck(
  db: Db,
  { merchant_id, livemode, batch_id }: BatchKey,
  { rank, msisdn, operator, name }: AskedLine,
  { result, now }: { result: NameMatch; now: Date },
): Promise<void> {
  await db`
    update payout_batch_lines
       set name_check = ${result}, name_checked_at = ${now}, name_check_asked_at = null
     where merchant_id = ${merchant_id} and livemode = ${livemode} and batch_id = ${batch_id} and rank = ${rank}
       and name_check_asked_at is not null and msisdn = ${msisdn}
       and operator is not distinct from ${operator} and name is not distinct from ${name}`
}
