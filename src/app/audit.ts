import { type ChainHead, findLostHeads } from '../audit-log/chain-heads.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { adjustmentChecks } from './audit/adjustment-checks.ts'
import { batchChecks } from './audit/batch-checks.ts'
import { beneficiaryChecks } from './audit/beneficiary-checks.ts'
import type { BookCheck } from './audit/book-check.ts'
import { chainChecks } from './audit/chain-checks.ts'
import { chargeChecks } from './audit/charge-checks.ts'
import { checkoutChecks } from './audit/checkout-checks.ts'
import { differenceChecks } from './audit/difference-checks.ts'
import { heldChecks } from './audit/held-checks.ts'
import { ledgerChecks } from './audit/ledger-checks.ts'
import { listingChecks } from './audit/listing-checks.ts'
import { paymentChecks } from './audit/payment-checks.ts'
import { payoutChecks } from './audit/payout-checks.ts'
import { refundChecks } from './audit/refund-checks.ts'
import { sendChecks } from './audit/send-checks.ts'
import { settlementChecks } from './audit/settlement-checks.ts'
import { statementChecks } from './audit/statement-checks.ts'
import { windowChecks } from './audit/window-checks.ts'

/** The result of one check: the number of rows that contradict it, with a few examples. */
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
  ...heldChecks,
  ...differenceChecks,
  ...windowChecks,
  ...batchChecks,
  ...settlementChecks,
  ...refundChecks,
  ...adjustmentChecks,
  ...beneficiaryChecks,
  ...chainChecks,
  ...listingChecks,
  ...statementChecks,
]

/**
 * Recomputes the whole ledger from its entries, compares payments, payouts, batches, settlements and the rest with it,
 * and reports the differences. `heads` are those of the chains of the audit log at earlier moments. All checks read one snapshot, so it can run while money moves. Read-only.
 */
export async function audit(sql: Sql, heads: readonly ChainHead[] = []): Promise<AuditReport> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = '1h'`
    // These checks read whole tables, unlike all other queries.
    await tx`select set_config(name, 'on', true)
               from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
    const [counts] = await tx<{ transactions: number; entries: number; accounts: number }[]>`
      select (select count(*) from ledger_transactions) as transactions,
             (select count(*) from ledger_entries) as entries,
             (select count(*) from accounts) as accounts`
    const checks = [...(await checkBooks(tx)), await checkHeads(tx, heads)]
    return { ok: checks.every(({ wrong }) => wrong === 0), ...counts!, checks }
  })
}

async function checkHeads(tx: Tx, heads: readonly ChainHead[]): Promise<AuditCheck> {
  const lost = await findLostHeads(tx, heads)
  const examples = lost.slice(0, EXAMPLES).map(({ merchant_id, sequence }) => `${merchant_id} line ${sequence}`)
  return { check: 'the chain of the audit log still has the heads of earlier moments', wrong: lost.length, examples }
}

/** Runs every check, in order, on the transaction's snapshot. */
export async function checkBooks(tx: Tx): Promise<AuditCheck[]> {
  const checks: AuditCheck[] = []
  for (const { check, contradictions } of everything) {
    const rows = await contradictions(tx)
    checks.push({ check, wrong: rows.length, examples: rows.slice(0, EXAMPLES).map(({ example }) => example) })
  }
  return checks
}
