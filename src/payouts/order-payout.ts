import { randomUUID } from 'node:crypto'
import { type BookEntry, insertBookEntry, type PayoutBook, readBook } from '../beneficiaries/payout-book.ts'
import type { OrderKey } from '../operators/reference.ts'
import { tellPeople } from '../people/notices/notify.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import { writeNumberEnd } from '../platform/http/pages/write-values.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { inOrder } from '../platform/postgres/in-order.ts'
import { type Asker, makerOf, tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { type Msisdn, operatorOfPrefix } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { decidePayout } from './decide-payout.ts'
import { type Destination, type Payout, viewPayout } from './payout.ts'
import { type PayoutRequest, viewPayoutRequest } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import { type LockedSpending, lockSpending, type UsualCaps } from './spending-limits.ts'
import { recordUsage, startPayout } from './start-payout.ts'

/** The destination: an entry of the book, or one written in the request (inline), which is saved to the book. */
export type WantedDestination =
  | { kind: 'book'; beneficiary_id: string }
  | { kind: 'inline'; msisdn: Msisdn; operator: OperatorCode | null; name: string }

/** A person may leave the name out (null). Its entry of the book then has the end of the number. */
export type PayoutOrder = {
  amount: number
  destination: Exclude<WantedDestination, { kind: 'inline' }> | Unnamed
  reference: string | null
}
type Unnamed = Omit<Extract<WantedDestination, { kind: 'inline' }>, 'name'> & { name: string | null }

/** One order with its caller: an API key, or a person of the merchant. */
export type AskedPayout = { readonly caller: Asker; readonly order: PayoutOrder }

export type PayoutRefusal = 'merchant_inactive' | 'resource_not_found' | 'insufficient_funds'

type Loaded = {
  /** Keyed by `tenantKey`. */
  spending: Map<string, LockedSpending>
  book: PayoutBook
}

/** An accepted order: a payout (201), or a payout request that waits for approval (202). */
export type OrderedPayout =
  | { kind: 'ordered'; status: 201; body: Payout; effects: Effect[] }
  | { kind: 'ordered'; status: 202; body: PayoutRequest; effects: Effect[] }

const insertRequest = defineEffect('new row', requestStore.insertRequests)

/** Locks the spending of the callers, and reads the entries of the book that they name. */
export async function loadPayouts(tx: Tx, asked: readonly AskedPayout[], usual: UsualCaps): Promise<Loaded> {
  const callers = asked.map(({ caller }) => caller)
  const named = asked.map(({ caller, order }) => ({ ...tenantOf(caller), ...order.destination }))
  const [spending, book] = await inOrder([lockSpending(tx, callers, usual), readBook(tx, named)])
  return { spending, book }
}

/**
 * Decides one order. The money leaves the transfer balance at once and the instruction is prepared. Above a cap it is a payout request instead,
 * and no money moves. An inline destination is saved to the book. Refusals in order of precedence: an unknown destination, an inactive merchant,
 * insufficient funds. An accepted order reduces what was loaded.
 * @param request_expiry_days days after which a request that nobody decided expires
 */
export function orderPayout(
  { caller, order, fee_amount, order_key }: AskedPayout & { fee_amount: number; order_key: OrderKey },
  { spending: all, book }: Loaded,
  request_expiry_days: number,
  now: Date,
): OrderedPayout | { kind: 'refused'; code: PayoutRefusal } {
  const tenant = tenantOf(caller)
  const known = book.find({ ...tenant, ...order.destination })
  const destination = destinationOf(order.destination, known)
  if (destination === null) return { kind: 'refused', code: 'resource_not_found' }
  if (!caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
  const { amount, reference } = order
  const spending = all.get(tenantKey(caller))!
  const decision = decidePayout(spending.caps, spending, { amount, total_debited: amount + fee_amount })
  if (decision.kind === 'refused') return decision

  const entry = known === null ? { ...tenant, ...entryOf(destination) } : null
  if (entry !== null) book.add(entry)
  // A payout and a request both save their destination to the book and count towards the day's cap.
  const made_by = makerOf(caller)
  const effectsOf = (subject_id: string) => [
    ...(entry === null ? [] : [insertBookEntry({ ...entry, added_by: made_by })]),
    recordUsage({ ...tenant, subject_id, amount, cap_total: spending.cap_total }),
  ]
  const about = { ...tenant, ...destination, amount, currency: 'XOF', reference, created_at: now } as const
  if (decision.kind === 'held') {
    const { reason, cap } = decision
    const request = { ...about, id: newId('por', now.getTime()), reason, cap, made_by }
    const waiting = { ...request, status: 'pending_approval', payout_id: null, decided_at: null } as const
    const effects = [
      ...effectsOf(request.id),
      insertRequest({ ...request, order_key, expiry_days: request_expiry_days }),
      tellPeople({ name: 'request_waits', about: tenant, subject: request.id, except: [made_by] }),
    ]
    return { kind: 'ordered', status: 202, body: viewPayoutRequest(waiting), effects }
  }
  const amounts = { fee_amount, total_debited: amount + fee_amount }
  const payout = { ...about, ...amounts, id: newId('txn', now.getTime()), batch_id: null, rank: null }
  const body = viewPayout({ ...payout, status: 'created', failure_code: null })
  return { kind: 'ordered', status: 201, body, effects: [...effectsOf(payout.id), ...startPayout(payout, order_key)] }
}

/**
 * The destination of a payout, with the name given in the request.
 * @param known the entry of the book, or null; an inline destination without an entry gets one
 * @returns null for an entry of the book that this merchant cannot pay
 */
function destinationOf(wanted: PayoutOrder['destination'], known: BookEntry | null): Destination | null {
  if (wanted.kind === 'book') return known && { ...known, is_inline: false }
  const { msisdn, name } = wanted
  return {
    beneficiary_id: known?.beneficiary_id ?? randomUUID(),
    is_inline: true,
    name,
    label: known?.label ?? null,
    msisdn: msisdn.e164,
    operator: wanted.operator ?? operatorOfPrefix(msisdn),
  }
}

/** The new entry of the book for an inline destination. */
function entryOf({ beneficiary_id, name, label, msisdn, operator }: Destination): BookEntry {
  return { beneficiary_id, name: name ?? writeNumberEnd(msisdn.slice(-4)), label, msisdn, operator }
}
