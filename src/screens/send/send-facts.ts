import { beneficiaryIdIn } from '../../beneficiaries/beneficiary.ts'
import { readBookEntry } from '../../beneficiaries/book-store.ts'
import { readBalances } from '../../ledger/balances.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type ListedOperation } from '../../listings/listed-operation.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import type { NumberKnowledge } from '../../operators/prediction/number-knowledge.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { CheckDestination } from '../../payouts/check-recipient.ts'
import { readPayout } from '../../payouts/store.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { looksLikeId } from '../../values/ids.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { operatorOf } from '../approvals/parts.ts'
import type { ReadDeps } from '../approvals/read-request.ts'
import type { AskFirstDeps } from '../ask-first.ts'
import { type RepeatedIn, readRepeated } from '../batches/read-repeated.ts'

export type SendDeps = ReadDeps &
  AskFirstDeps & {
    readonly settings: ReadSettings
    readonly registry: Registry
    readonly numbers: Pick<NumberKnowledge, 'predict'>
    readonly checkDestination: CheckDestination
  }

/** The recipients under the form, and the payouts in which to look for them. */
const RECENT_SHOWN = 4
const RECENT_LOOKED_AT = 40

/** A person whose number is known already: an entry of the book, or the recipient of a former payout. */
export type Recipient = {
  readonly from: 'book' | 'payout'
  /** Of the entry or of the payout. */
  readonly id: string
  readonly name: string | null
  /** The whole number. */
  readonly msisdn: string
  readonly operator: OperatorCode | null
  /** The last payout to propose again. Null: none. */
  readonly last: { readonly amount: number; readonly purpose: string | null; readonly at: Date } | null
}

/** The facts of the form. Amounts are in francs. */
export type SendFacts = {
  /** The transfer balance. */
  readonly transfer: number
  /** The available balance, from which money can be moved there. */
  readonly available: number
  readonly recent: readonly ListedOperation[]
}

/** Reads the balances and the last recipients, each once. */
export async function readSend(db: Db, tenant: Tenant): Promise<SendFacts> {
  const [balances, { rows }] = await Promise.all([
    readBalances(db, tenant),
    findOperations(db, tenant, allOf('payout'), { limit: RECENT_LOOKED_AT, after: null }),
  ])
  const known = rows.filter(({ msisdn }) => msisdn !== null)
  const byNumber = new Map(known.toReversed().map((row) => [row.msisdn!.e164, row]))
  const recent = [...byNumber.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, RECENT_SHOWN)
  return { transfer: balances?.transfer ?? 0, available: balances?.available ?? 0, recent }
}

/** Reads the entry of the book that a form is for, with the last payout to its number. Null: it is not in this book, or archived. */
export async function readFromBook(db: Db, tenant: Tenant, text: string): Promise<Recipient | null> {
  const id = beneficiaryIdIn(text)
  const entry = id === null ? null : await readBookEntry(db, { ...tenant, id })
  if (entry === null || !entry.active) return null
  return { ...entry, from: 'book', operator: operatorOf(entry.operator), last: await readLast(db, tenant, entry) }
}

async function readLast(db: Db, tenant: Tenant, { msisdn }: { msisdn: string }): Promise<Recipient['last']> {
  const wanted = { ...allOf('payout'), number: Msisdn.stored(msisdn) }
  const [row] = (await findOperations(db, tenant, wanted, { limit: 1, after: null })).rows
  return row === undefined ? null : { amount: row.amount, purpose: row.reference, at: row.created_at }
}

/** Reads the recipient of a former payout. Null: it is not this merchant's. */
export async function readFromPayout(db: Db, tenant: Tenant, payout_id: string): Promise<Recipient | null> {
  const row = looksLikeId('txn', payout_id) ? await readPayout(db, { ...tenant, payout_id }) : null
  if (row === null) return null
  const { id, name, label, msisdn, amount, reference: purpose, created_at: at, failure_code } = row
  // An operator that has no wallet with this number is not proposed again.
  const operator = failure_code === 'recipient_not_found' ? null : operatorOf(row.operator)
  return { from: 'payout', id, name: name ?? label, msisdn, operator, last: { amount, purpose, at } }
}

/** Reads the operations and drafts of the last 35 days with the same number and amount, as for the line of a file. */
export async function readAlike(
  db: Db,
  tenant: Tenant,
  { msisdn, amount }: Alike,
  now: Date,
  drafted = true,
): Promise<readonly RepeatedIn[]> {
  const line = { line: 1, msisdn, amount, beneficiary_id: null }
  return (await readRepeated(db, tenant, [line], { own: '', now, drafted })).operations
}
type Alike = { readonly msisdn: string; readonly amount: number }

/** Returns the function that gives the act the ids of those that moved money or may, which a person agrees to. It runs under the merchant's lock. */
export function alikeIds(now: Date) {
  return async (tx: Tx, tenant: Tenant, send: Alike): Promise<string[]> =>
    (await readAlike(tx, tenant, send, now, false)).map(({ id }) => id).sort()
}

/** Whether a connector sends to this operator for this merchant now, as far as this process knows. */
export function servesPayouts({ registry }: SendDeps, tenant: Tenant, msisdn: Msisdn | null) {
  return (operator: string): boolean => {
    const order = { ...tenant, operator, direction: 'payout' } as const
    const connector = registry.connectorFor(msisdn === null ? order : { ...order, msisdn: msisdn.e164 })
    return connector?.capabilitiesOf(operator as OperatorCode)?.payout ?? false
  }
}
