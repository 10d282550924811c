import type { DraftLine } from '../../batch-files/batch-draft.ts'
import { readDraftedLines } from '../../batch-files/drafted-lines-store.ts'
import { judgeLine } from '../../batch-files/judge-line.ts'
import { DRAFTS_MAX } from '../../batch-files/keep-draft.ts'
import { readAlikeSends } from '../../listings/earlier-store.ts'
import { readUnsentAlike } from '../../payout-batches/unsent-store.ts'
import { readTwins } from '../../payouts/approval-store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/** The days in which the same number and amount may be the same payroll again. A month has at most 31, and a payroll may be late. */
const REPEATED_DAYS = 35

/** A line to compare. `line`: its number on its page. */
export type ComparedLine = {
  readonly line: number
  readonly msisdn: string
  readonly amount: number
  /** Its entry in the book. Null: none. */
  readonly beneficiary_id: string | null
}

/** An operation in which lines had the same number and amount: sent, waiting, or drafted. */
export type RepeatedIn = {
  readonly kind: 'batch' | 'payout' | 'request' | 'draft'
  readonly id: string
  /** Null: a request. */
  readonly at: Date | null
  readonly line_count: number
}

/** The facts that a person is told before the same payroll leaves again. */
export type Repeated = {
  /** The lines that had the same number and amount in an operation of the last 35 days. */
  readonly line_count: number
  /** These operations, those with most lines first. A line counts in the newest operation of each kind. */
  readonly operations: readonly RepeatedIn[]
  /** The lines with the number and amount of an earlier line of the same batch. */
  readonly twin_count: number
}

/**
 * Compares the lines of a draft or batch with what was sent, waits or is drafted, and with one another.
 * @param own the id of the draft or batch itself
 * @param drafted whether drafts count too. They are read line by line, so never under a lock
 */
export async function readRepeated(
  db: Db,
  tenant: Tenant,
  lines: readonly ComparedLine[],
  { own, now, drafted = true }: { own: string; now: Date; drafted?: boolean },
): Promise<Repeated> {
  const since = new Date(now.getTime() - REPEATED_DAYS * 86_400_000)
  const wanted = lines.map(({ line, msisdn, amount }) => ({ id: String(line), msisdn, amount }))
  const [sent, unsent, requests, drafts] = await Promise.all([
    readAlikeSends(db, tenant, wanted, since),
    readUnsentAlike(db, tenant, wanted, { since, without: own }),
    readTwins(db, tenant, wanted),
    drafted ? readDraftedLines(db, tenant, { without: own, limit: DRAFTS_MAX }) : [],
  ])
  const found: (Omit<RepeatedIn, 'line_count'> & { line: string })[] = [
    ...sent.map(({ id: line, payout_id, batch_id, created_at: at }) =>
      batch_id === null
        ? { line, kind: 'payout' as const, id: payout_id, at }
        : { line, kind: 'batch' as const, id: batch_id, at },
    ),
    ...unsent.map(({ id: line, batch_id: id, created_at: at }) => ({ line, kind: 'batch' as const, id, at })),
    ...requests.map(({ id: line, twin_id: id }) => ({ line, kind: 'request' as const, id, at: null })),
    ...drafts.flatMap(({ id, created_at: at, lines: drafted }) => {
      const keys = new Set(drafted.flatMap(keysOf))
      const same = lines.filter((one) => keysOfLine(one).some((key) => keys.has(key)))
      return same.map(({ line }) => ({ line: String(line), kind: 'draft' as const, id, at }))
    }),
  ]
  const operations = [...Map.groupBy(found, ({ id }) => id).values()].map((group): RepeatedIn => {
    const { line: _, ...operation } = group[0]!
    return { ...operation, line_count: new Set(group.map(({ line }) => line)).size }
  })
  const seen = new Set(lines.map(({ msisdn, amount }) => `${msisdn} ${amount}`))
  return {
    line_count: new Set(found.map(({ line }) => line)).size,
    operations: operations.sort((one, other) => other.line_count - one.line_count || (one.id < other.id ? 1 : -1)),
    twin_count: lines.length - seen.size,
  }
}

/** The value of the tick: another count of lines than the person saw is asked about again. */
export function tickOf({ line_count, twin_count }: Repeated): string {
  return `${line_count}-${twin_count}`
}

/** Whether a person has to say that the lines are to be paid again. */
export function isRepeated({ line_count, twin_count }: Repeated): boolean {
  return line_count > 0 || twin_count > 0
}

function keysOfLine({ msisdn, beneficiary_id, amount }: ComparedLine): string[] {
  return [`${msisdn} ${amount}`, ...(beneficiary_id === null ? [] : [`${beneficiary_id} ${amount}`])]
}

/** The number and amount of a drafted line, also while it has open questions: their answers change neither. */
function keysOf({ asks = [], ...line }: DraftLine): string[] {
  const { order } = judgeLine({ ...line, asks: asks.map((ask) => ({ ...ask, answered: true })) })
  if (order === null) return []
  const { amount, destination } = order
  return [`${destination.kind === 'inline' ? destination.msisdn.e164 : destination.beneficiary_id} ${amount}`]
}
