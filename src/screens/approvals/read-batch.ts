import { readBalances } from '../../ledger/balances.ts'
import { readEarlierSends } from '../../listings/earlier-store.ts'
import { type BatchToDecide, readExecutedBefore } from '../../payout-batches/approval-store.ts'
import { readLineChecks } from '../../payout-batches/check-store.ts'
import { keyOf, readLines } from '../../payout-batches/store.ts'
import { readDayUse } from '../../payouts/caps/read-caps.ts'
import { tenantOf } from '../../values/caller.ts'
import {
  type BesideLastBatch,
  besideLastBatch,
  type CapUse,
  capAfter,
  type Funds,
  fundsAfter,
  LINE_ALIKE_DAYS,
  lookAtLines,
  type SeenLine,
} from './differences.ts'
import type { ReadDeps } from './read-request.ts'

/** A batch as an approver sees it. Amounts are in francs. */
export type BatchFacts = {
  readonly batch: BatchToDecide
  readonly fee_amount: number
  readonly funds: Funds
  readonly cap: CapUse
  /** Null when no batch was executed before. */
  readonly last_batch: BesideLastBatch | null
  /** The lines, unusual ones first. */
  readonly lines: readonly SeenLine[]
  /** The number of lines whose names are being checked. */
  readonly names_asked: number
}

/** Reads the facts by which an approver decides on a batch. */
export async function readBatchFacts(deps: ReadDeps, batch: BatchToDecide): Promise<BatchFacts> {
  const { sql, clock, payoutCaps } = deps
  const tenant = tenantOf(batch)
  const key = keyOf(batch)
  const since = new Date(clock.now().getTime() - LINE_ALIKE_DAYS * 86_400_000)
  const [lines, checks, balances, day, last] = await Promise.all([
    readLines(sql, key),
    readLineChecks(sql, key),
    readBalances(sql, tenant),
    readDayUse(sql, tenant, payoutCaps, batch.id),
    readExecutedBefore(sql, key),
  ])
  const wanted = lines.map(({ rank, msisdn, amount }) => ({ id: String(rank), msisdn, amount }))
  const [earlier, lastLines] = await Promise.all([
    readEarlierSends(sql, tenant, wanted, since),
    last === null ? [] : readLines(sql, keyOf(last)),
  ])
  const fee_amount = lines.reduce((sum, line) => sum + line.fee_amount, 0)
  return {
    batch,
    fee_amount,
    funds: fundsAfter(balances?.transfer ?? 0, batch.total_amount + fee_amount),
    cap: capAfter({ ...day, amount: batch.total_amount }),
    last_batch: besideLastBatch(batch.total_amount, last),
    lines: lookAtLines(lines, {
      earlier: new Map(earlier.map((one) => [Number(one.id), one])),
      checks: new Map(checks.map(({ rank, name_check }) => [rank, name_check])),
      last: lastLines,
    }),
    names_asked: checks.filter(({ name_check_asked_at }) => name_check_asked_at !== null).length,
  }
}
