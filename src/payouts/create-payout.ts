import { randomUUID } from 'node:crypto'
import { type BookEntry, insertBookEntry, type PayoutBook, readBook } from '../beneficiaries/payout-book.ts'
import { feesAt, type ReadSettings } from '../merchants/fees.ts'
import type { OrderKeys } from '../operators/order-keys.ts'
import type { OrderKey } from '../operators/reference.ts'
import { tellPeople } from '../people/notices/notify.ts'
import type { Clock } from '../platform/clock.ts'
import { accepted, type Command, refused } from '../platform/commands/command.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Engine, Outcome } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import { inOrder } from '../platform/postgres/in-order.ts'
import { type Caller, tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { type Msisdn, operatorOfPrefix } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { decidePayout } from './decide-payout.ts'
import { type Destination, viewPayout } from './payout.ts'
import { viewPayoutRequest } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import { type LockedSpending, lockSpending, type UsualCaps } from './spending-limits.ts'
import { recordUsage, startPayout } from './start-payout.ts'

/** The destination: an entry of the book, or one written in the request (inline), which is saved to the book. */
export type WantedDestination =
  | { kind: 'book'; beneficiary_id: string }
  | { kind: 'inline'; msisdn: Msisdn; operator: OperatorCode | null; name: string }

export type PayoutOrder = { amount: number; destination: WantedDestination; reference: string | null }

type RefusalCode = 'merchant_inactive' | 'resource_not_found' | 'insufficient_funds'

/** 201 with a payout, or 202 with a payout request that waits for approval. */
export type CreatePayoutResult = Outcome<RefusalCode>

type From = CallFrom<Caller, Idempotency>

export type CreatePayout = (from: From, order: PayoutOrder) => Promise<CreatePayoutResult>

export type PayoutCall = From & { order: PayoutOrder; fee_amount: number; order_key: OrderKey }

type Loaded = {
  /** Keyed by `tenantKey`. */
  spending: Map<string, LockedSpending>
  book: PayoutBook
}

const insertRequest = defineEffect('new row', requestStore.insertRequests)

/**
 * Creates a payout: the money leaves the transfer balance at once and the instruction is prepared. Above a cap it
 * stores a payout request instead, and no money moves. An inline destination is saved to the book. Refusals in order of
 * precedence: an unknown destination, an inactive merchant, insufficient funds. A refused call writes nothing, also not
 * to the book.
 * @param usual the service's caps, for merchants without caps of their own
 * @param request_expiry_days days after which a request that nobody decided expires
 */
export function createPayoutCommand(
  usual: UsualCaps,
  request_expiry_days: number,
): Command<PayoutCall, Loaded, RefusalCode> {
  return {
    exclusive: true,
    async load(tx, calls) {
      const callers = calls.map(({ caller }) => caller)
      const named = calls.map(({ caller, order }) => ({ ...tenantOf(caller), ...order.destination }))
      const [spending, book] = await inOrder([lockSpending(tx, callers, usual), readBook(tx, named)])
      return { spending, book }
    },
    decide({ caller, order, fee_amount, order_key }, { spending: all, book }, now) {
      const tenant = tenantOf(caller)
      const known = book.find({ ...tenant, ...order.destination })
      const destination = destinationOf(order.destination, known)
      if (destination === null) return refused('resource_not_found')
      if (!caller.merchant_active) return refused('merchant_inactive')
      const { amount, reference } = order
      const spending = all.get(tenantKey(caller))!
      const decision = decidePayout(spending.caps, spending, { amount, total_debited: amount + fee_amount })
      if (decision.kind === 'refused') return decision

      const entry = known === null ? { ...tenant, ...entryOf(destination) } : null
      if (entry !== null) book.add(entry)
      // A payout and a request both save their destination to the book and count towards the day's cap.
      const made_by = `key:${caller.key_id}`
      const effectsOf = (subject_id: string) => [
        ...(entry === null ? [] : [insertBookEntry({ ...entry, added_by: made_by })]),
        recordUsage({ ...tenant, subject_id, amount, cap_total: spending.cap_total }),
      ]
      const about = { ...tenant, ...destination, amount, currency: 'XOF', reference, created_at: now } as const
      if (decision.kind === 'held') {
        const { reason, cap } = decision
        const request = { ...about, id: newId('por', now.getTime()), reason, cap, made_by }
        const waiting = { ...request, status: 'pending_approval', payout_id: null, decided_at: null } as const
        return accepted({ status: 202, body: viewPayoutRequest(waiting) }, [
          ...effectsOf(request.id),
          insertRequest({ ...request, order_key, expiry_days: request_expiry_days }),
          tellPeople({ name: 'request_waits', about: tenant, subject: request.id, except: [made_by] }),
        ])
      }
      const amounts = { fee_amount, total_debited: amount + fee_amount }
      const payout = { ...about, ...amounts, id: newId('txn', now.getTime()), batch_id: null, rank: null }
      return accepted({ status: 201, body: viewPayout({ ...payout, status: 'created', failure_code: null }) }, [
        ...effectsOf(payout.id),
        ...startPayout(payout, order_key),
      ])
    },
  }
}

type Dependencies = {
  engine: Engine
  clock: Clock
  settings: ReadSettings
  orderKeyOf: OrderKeys
  caps: UsualCaps
  request_expiry_days: number
}

/** Runs `createPayoutCommand` on the engine, with the fee schedule of each caller. */
export function createCreatePayout(deps: Dependencies): CreatePayout {
  const { engine, clock, settings, orderKeyOf, caps, request_expiry_days } = deps
  const create = engine.run(createPayoutCommand(caps, request_expiry_days))
  return async (from, order) => {
    // Take the time before reading the settings, so that they include every fee schedule in force at that time.
    const requestedAt = clock.now()
    const merchant = await settings(from.caller.merchant_id)
    const { fee_amount } = feesAt(merchant, 'payout', order.amount, requestedAt)
    const order_key = await orderKeyOf(from.caller, from.idempotency.key)
    return create({ ...from, order, fee_amount, order_key })
  }
}

type NamedDestination = Destination & { name: string }

/**
 * The destination of a payout, with the name given in the request.
 * @param known the entry of the book, or null; an inline destination without an entry gets one
 * @returns null for an entry of the book that this merchant cannot pay
 */
function destinationOf(wanted: WantedDestination, known: BookEntry | null): NamedDestination | null {
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
function entryOf({ beneficiary_id, name, label, msisdn, operator }: NamedDestination): BookEntry {
  return { beneficiary_id, name, label, msisdn, operator }
}
