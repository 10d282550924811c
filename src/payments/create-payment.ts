import { type Fees, feesAt, type ReadSettings } from '../merchants/fees.ts'
import { type PaymentLimits, type UncheckedDay, uncheckedDay } from '../merchants/payment-limit.ts'
import { lockMerchant } from '../merchants/store.ts'
import type { OrderKeys } from '../operators/order-keys.ts'
import { referenceFrom } from '../operators/reference.ts'
import { startCollection } from '../operators/start-instruction.ts'
import type { Clock } from '../platform/clock.ts'
import { accepted, type Command, type Refusal, refused } from '../platform/commands/command.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import type { Engine, Outcome } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import type { PayerAttempts } from '../platform/limits/windows.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { aboveLimit, aboveUnchecked } from '../values/amount.ts'
import { type Caller, rowKey, type Tenant, tenantOf } from '../values/caller.ts'
import { comparableReference } from '../values/comparable.ts'
import { newId } from '../values/ids.ts'
import { type Msisdn, operatorOfPrefix } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { viewPayment } from './payment.ts'
import * as store from './store.ts'
import { insertUnchecked, sumOfDay } from './unchecked-store.ts'

export type PaymentRequest = {
  amount: number
  operator: OperatorCode | null
  msisdn: Msisdn | null
  merchant_reference: string | null
  description: string | null
  metadata: string | null
  /** Test mode only: the payment succeeds at once, without the simulator. */
  simulate: 'succeed' | null
  /** The checkout session whose payer makes this attempt. Absent when the merchant's server creates the payment. */
  checkout_session_id?: string
}

/** A payment that is to become the current attempt of a checkout session. */
export type Attempt = Tenant & { session_id: string; payment_id: string }

/** Returns the effects of making the payment the session's attempt, or null when the session refuses it. */
export type TakeAttempt = (attempt: Attempt) => readonly Effect[] | null

/**
 * Locks checkout sessions in the transaction that creates their payments. Passed in, because `checkout` is a layer
 * above `payments`.
 */
export type LockSessions = (tx: Tx, sessions: readonly (Tenant & { session_id: string })[]) => Promise<TakeAttempt>

type RefusalCode =
  | 'merchant_inactive'
  | 'duplicate_reference'
  | 'amount_above_limit'
  | 'too_many_attempts'
  /** The checkout session has another attempt in progress, or has ended. */
  | 'idempotency_in_progress'

export type CreatePaymentResult = Outcome<RefusalCode>

type From = CallFrom<Caller, Idempotency>

export type CreatePayment = (from: From, request: PaymentRequest) => Promise<CreatePaymentResult>

export type PaymentCall = From & {
  request: PaymentRequest
  fees: Fees
  /** The reference of its order at the operator, derived from the idempotency key. */
  order_reference: string
  /** A refusal found before the database is read, or null. A replay and `duplicate_reference` come before it. */
  blocked: Refusal<'amount_above_limit' | 'too_many_attempts'> | null
  unchecked: UncheckedDay | null
}

type Loaded = {
  /** References already in use, as `referenceKey` writes them. */
  references: Set<string>
  /** Null when no call belongs to a checkout session. */
  takeAttempt: TakeAttempt | null
  /** The francs of the days of unchecked merchants, by `dayKey`. Each accepted payment adds to it. */
  ofDays: Map<string, number>
}

const insertPayment = defineEffect('new row', store.insertPayments)
const countUnchecked = defineEffect('new row', insertUnchecked)

/**
 * Creates a payment with its fee fixed, waiting to be sent; nothing is sent yet. Refusals in order of precedence: an
 * inactive merchant, a reference in use, the amount limit, too many attempts by this payer, the day of an unchecked merchant, a checkout session
 * that refuses the attempt.
 */
export function createPaymentCommand(lockSessions: LockSessions): Command<PaymentCall, Loaded, RefusalCode> {
  return {
    conflicts: [store.REFERENCE_KEY],
    optimistic: {
      // Attempts of a checkout session always take the slow path. The payer's form may have been sent before; the
      // session would then refuse the repeat before the database finds its idempotency key.
      when: ({ caller, blocked, unchecked, request }) =>
        caller.merchant_active && blocked === null && unchecked === null && request.checkout_session_id === undefined,
      loaded: () => ({ references: new Set(), takeAttempt: null, ofDays: new Map() }),
    },
    async load(tx, calls) {
      const ofDays = await lockDays(tx, calls)
      const sessions = calls.flatMap(sessionOf)
      const [takeAttempt, taken] = await Promise.all([
        sessions.length > 0 ? lockSessions(tx, sessions) : null,
        store.findReferences(tx, calls.flatMap(referenceOf)),
      ])
      return { takeAttempt, ofDays, references: new Set(taken.map(referenceKey)) }
    },
    decide(call, { references, takeAttempt, ofDays }, now) {
      const { caller, request, order_reference, blocked, unchecked } = call
      if (!caller.merchant_active) return refused('merchant_inactive')
      const [reference] = referenceOf(call).map(referenceKey)
      if (reference !== undefined && references.has(reference)) return refused('duplicate_reference')
      if (blocked !== null) return blocked
      const left = leftOf(call, ofDays)
      if (left !== null && request.amount > left)
        return refused('amount_above_limit', aboveUnchecked(unchecked!.most, left))
      const payment = paymentOf(call, now)
      const [session] = sessionOf(call)
      const taken = session === undefined ? [] : takeAttempt!({ ...session, payment_id: payment.id })
      if (taken === null) return refused('idempotency_in_progress')
      if (reference !== undefined) references.add(reference)
      const counted = unchecked === null ? [] : [countDay(call, payment, unchecked, ofDays)]
      const { id: subject_id, operator } = payment
      return accepted({ status: 201, body: viewPayment(payment) }, [
        ...taken,
        insertPayment(payment),
        ...counted,
        startCollection({
          ...tenantOf(payment),
          subject_id,
          operator,
          simulate: request.simulate,
          reference: order_reference,
        }),
      ])
    },
  }
}

type Dependencies = {
  engine: Engine
  clock: Clock
  settings: ReadSettings
  orderKeyOf: OrderKeys
  payerAttempts: PayerAttempts
  limits: PaymentLimits
  lockSessions: LockSessions
}

/**
 * `createPaymentCommand` with the checks outside the database: the fee schedule, the amount limit and the count of the
 * payer's attempts. An attempt that creates no payment is not counted.
 */
export function createCreatePayment(deps: Dependencies): CreatePayment {
  const { engine, clock, settings, orderKeyOf, payerAttempts, limits, lockSessions } = deps
  const create = engine.run(createPaymentCommand(lockSessions))

  return async (from, request) => {
    const { caller, idempotency } = from
    // Take the time before reading the settings, so that they include every fee schedule in force at that time.
    const requestedAt = clock.now()
    const merchant = await settings(caller.merchant_id)
    const fees = feesAt(merchant, 'collection', request.amount, requestedAt)
    const order_reference = referenceFrom(await orderKeyOf(caller, idempotency.key), 'collect')
    const unchecked = uncheckedDay(merchant, caller, limits, requestedAt)
    const limit = merchant.collection_amount_max ?? limits.collection_amount_max
    const most = Math.min(limit, unchecked?.most ?? limit)
    const tooLarge = request.amount > most
    const counted = request.msisdn !== null && request.simulate === null && !tooLarge
    const attemptTaken = counted && (await payerAttempts.take(caller.livemode, request.msisdn!))
    const blocked = tooLarge
      ? refused('amount_above_limit', most < limit ? aboveUnchecked(most, null) : aboveLimit(limit))
      : counted && !attemptTaken
        ? refused('too_many_attempts')
        : null
    let created = false
    try {
      const result = await create({ ...from, request, fees, order_reference, blocked, unchecked })
      created = result.kind === 'created'
      return result
    } finally {
      if (attemptTaken && !created) void payerAttempts.giveBack(caller.livemode, request.msisdn!)
    }
  }
}

function sessionOf({ caller, request: { checkout_session_id: session_id } }: PaymentCall) {
  return session_id === undefined ? [] : [{ ...tenantOf(caller), session_id }]
}

/**
 * Locks the unchecked merchants among the callers, in the order of their numbers, and sums the days of their calls. Two payments of one merchant
 * then wait for one another, in any process. Other merchants cost no statement.
 */
export async function lockDays(tx: Tx, calls: readonly OfDay[]): Promise<Map<string, number>> {
  const ofDays = new Map<string, number>()
  const limited = calls
    .flatMap((call) => (call.unchecked === null ? [] : [{ ...tenantOf(call.caller), day: call.unchecked.day, call }]))
    .toSorted((one, other) => one.merchant_id - other.merchant_id)
  for (const { call, ...day } of limited) {
    if (ofDays.has(dayKey(call, day.day))) continue
    await lockMerchant(tx, day.merchant_id)
    ofDays.set(dayKey(call, day.day), await sumOfDay(tx, day))
  }
  return ofDays
}

type OfDay = { readonly caller: Tenant; readonly unchecked: UncheckedDay | null }

/** The francs that an unchecked merchant may still collect on the day of a call. Null: no such limit. */
export function leftOf(call: OfDay, ofDays: ReadonlyMap<string, number>): number | null {
  return call.unchecked && call.unchecked.most - ofDays.get(dayKey(call, call.unchecked.day))!
}

function dayKey({ caller }: Pick<OfDay, 'caller'>, day: string): string {
  return rowKey(caller, day)
}

/** Counts a payment towards the day, for the next of this transaction too. */
function countDay(call: OfDay, payment: store.NewPayment, { day }: UncheckedDay, ofDays: Map<string, number>): Effect {
  const { id: payment_id, amount } = payment
  ofDays.set(dayKey(call, day), ofDays.get(dayKey(call, day))! + amount)
  return countUnchecked({ ...tenantOf(payment), day, payment_id, amount })
}

/** The reference of a call in the form used for comparison; empty when it has none. */
function referenceOf({ caller, request: { merchant_reference } }: PaymentCall): store.ReferenceKey[] {
  if (merchant_reference === null) return []
  return [{ ...tenantOf(caller), reference_key: comparableReference(merchant_reference) }]
}

function referenceKey(reference: store.ReferenceKey): string {
  return rowKey(reference, reference.reference_key)
}

function paymentOf({ caller, request, fees }: PaymentCall, now: Date): store.NewPayment {
  const { amount, msisdn, merchant_reference, description, metadata } = request
  const compared = merchant_reference === null ? null : comparableReference(merchant_reference)
  return {
    merchant_id: caller.merchant_id,
    livemode: caller.livemode,
    id: newId('txn', now.getTime()),
    amount,
    amount_collected: fees.amount_collected,
    fee_amount: fees.fee_amount,
    net_amount: fees.net_amount,
    currency: 'XOF',
    status: 'created',
    operator: request.operator ?? (msisdn === null ? null : operatorOfPrefix(msisdn)),
    merchant_reference,
    reference_key: compared === merchant_reference ? null : compared,
    msisdn: msisdn?.e164 ?? null,
    description,
    metadata,
    checkout_session_id: request.checkout_session_id ?? null,
    failure_code: null,
    created_at: now,
    succeeded_at: null,
    failed_at: null,
  }
}
