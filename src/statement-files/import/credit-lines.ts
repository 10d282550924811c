import type { Db } from '../../platform/postgres/database.ts'
import type { AccountKey } from './statement-file.ts'

/** A line of money that arrived, with the person who imported its file. Francs. */
export type CreditLine = {
  readonly id: string
  readonly month: string
  readonly day: string
  readonly reference: string
  readonly file_id: string
  readonly imported_by: string
}

/** The days before a proposal within which its line is looked for. */
const DAYS = 90

/**
 * Reads the lines of counted bank files that show this sum with this reference, oldest first. Typed lines, those of which files disagree, and those that two people decided about are none. At
 * most 10.
 * @param amount the francs that arrived on the account, after what the bank kept
 * @param before the time of the proposal; a line may be younger, and at most 90 days older
 */
export function readCreditLines(
  db: Db,
  { livemode, account, reference, amount, before }: AccountKey & { reference: string; amount: number; before: Date },
): Promise<CreditLine[]> {
  return db<CreditLine[]>`
    select l.id, l.month::text as month, l.day::text as day, l.reference, l.file_id, f.imported_by
      from statement_lines l
      join statement_files f on f.id = l.file_id
     where l.livemode = ${livemode} and l.account = ${account} and l.day >= ${before}::timestamptz::date - ${DAYS}::integer
       and l.month >= date_trunc('month', ${before}::timestamptz::date - ${DAYS}::integer)
       and l.direction = 'in' and l.class = 'operation' and l.effect = ${amount} and l.state <> 'withdrawn' and not l.is_changed
       and l.matched_by is distinct from 'two_people'
       and bank_reference_in(l.reference) = bank_reference_in(${reference})
       and f.source = 'file' and f.status = 'counted'
     order by l.day, l.id
     limit 10`
}
