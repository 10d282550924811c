import type { Sql, Tx } from '../platform/postgres/database.ts'
import { adjustmentChecks } from './audit/adjustment-checks.ts'
import { batchChecks } from './audit/batch-checks.ts'
import { beneficiaryChecks } from './audit/beneficiary-checks.ts'
import type { BookCheck } from './audit/book-check.ts'
import { chainChecks } from './audit/chain-checks.ts'
import { chargeChecks } from './audit/charge-checks.ts'
import { checkoutChecks } from './audit/checkout-checks.ts'
import { ledgerChecks } from './audit/ledger-checks.ts'
import { listingChecks } from './audit/listing-checks.ts'
import { paymentChecks } from './audit/payment-checks.ts'
import { payoutChecks } from './audit/payout-checks.ts'
import { refundChecks } from './audit/refund-checks.ts'
import { sendChecks } from './audit/send-checks.ts'
import { settlementChecks } from './audit/settlement-checks.ts'
import { windowChecks } from './audit/window-checks.ts'

/** One check of the books: how many rows contradict it, and a few of them. */
export type AuditCheck = { check: string; wrong: number; examples: string[] }

export type AuditReport = {
  ok: boolean
  transactions: number
  entries: number
  accounts: number
  checks: AuditCheck[]
}

const EXAMPLES = 5

const everything: readonly BookCheck[] = [
  ...ledgerChecks,
  ...paymentChecks,
  ...checkoutChecks,
  ...payoutChecks,
  ...sendChecks,
  ...chargeChecks,
  ...windowChecks,
  ...batchChecks,
  ...settlementChecks,
  ...refundChecks,
  ...adjustmentChecks,
  ...beneficiaryChecks,
  ...chainChecks,
  ...listingChecks,
]

/**
 * Recomputes the whole ledger from its entries, holds payments, payouts, batches, settlements and the rest against it, and
 * says what does not hold. All checks read one snapshot, so that it can run while money moves. Reads only.
 */
export async function audit(sql: Sql): Promise<AuditReport> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = '1h'`
    // Whole tables are read here, unlike anywhere else.
    await tx`select set_config(name, 'on', true)
               from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
    const [counts] = await tx<{ transactions: number; entries: number; accounts: number }[]>`
      select (select count(*) from ledger_transactions) as transactions,
             (select count(*) from ledger_entries) as entries,
             (select count(*) from accounts) as accounts`
    const checks = await checkBooks(tx)
    return { ok: checks.every(({ wrong }) => wrong === 0), ...counts!, checks }
  })
}

/** Every check, in order, on what this transaction sees. */
export async function checkBooks(tx: Tx): Promise<AuditCheck[]> {
  const checks: AuditCheck[] = []
  for (const { check, contradictions } of everything) {
    const rows = await contradictions(tx)
    checks.push({ check, wrong: rows.length, examples: rows.slice(0, EXAMPLES).map(({ example }) => example) })
  }
  return checks
}
