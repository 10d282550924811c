import { findNumbers, type NumberInBook } from '../beneficiaries/find-beneficiaries.ts'
import { type PayoutBook, readBook } from '../beneficiaries/payout-book.ts'
import { feesAt, type MerchantSettings, type ReadSettings } from '../merchants/fees.ts'
import type { OrderKeys } from '../operators/order-keys.ts'
import type { OrderKey } from '../operators/reference.ts'
import type { WantedDestination } from '../payouts/order-payout.ts'
import { type LockedSpending, lockSpending, type UsualCaps } from '../payouts/spending-limits.ts'
import { recordUsage } from '../payouts/start-payout.ts'
import type { Clock } from '../platform/clock.ts'
import { accepted, type Command, refused } from '../platform/commands/command.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import type { Engine, Outcome } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import { inOrder } from '../platform/postgres/in-order.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { operatorOfPrefix } from '../values/msisdn.ts'
import { atRank, type BatchRow, type LineRow, viewBatch } from './batch.ts'
import { tellOfWaiting } from './move-batch.ts'
import * as store from './store.ts'

/** A requested batch, with its lines read. */
export type BatchOrder = {
  reference: string | null
  lines: readonly { amount: number; destination: WantedDestination; reference: string | null }[]
}

type RefusalCode =
  | 'merchant_inactive'
  /** A line names an entry that is archived or not in the book. The message says which line. */
  | 'invalid_beneficiary'

export type CreateBatchResult = Outcome<RefusalCode>

/** The merchant and mode of a batch, with its maker or executor: an API key, or a person. */
export type BatchCaller = Tenant & { merchant_active: boolean; maker: { key_id: string } | Pick<Actor, 'person'> }

type From = CallFrom<BatchCaller, Idempotency>

export type CreateBatch = (from: From, order: BatchOrder) => Promise<CreateBatchResult>

export type BatchCall = From & {
  order: BatchOrder
  /** The fee of each line, in francs. */
  fee_amounts: readonly number[]
  order_key: OrderKey
}

export type LoadedBatch = {
  /** By `tenantKey`. */
  spending: Map<string, LockedSpending>
  book: PayoutBook
  /** The merchant's book entries of the inline numbers, by the number in international form. */
  numbers: ReadonlyMap<string, NumberInBook>
}

// Not last, as other new rows: a batch that is sent at once, and its lines, change in the same transaction.
const insertBatch = defineEffect('batch line', store.insertBatches)

/**
 * Creates a batch. One wrong line refuses the whole batch. Only the execution sends lines and adds destinations to the book. If the total
 * exceeds the cap of 24 hours, the batch waits for an approval. Refusals, in order of precedence: a line's destination, an inactive
 * merchant.
 */
export function createBatchCommand(usual: UsualCaps): Command<BatchCall, LoadedBatch, RefusalCode> {
  return {
    alone: true,
    async load(tx, [{ caller, order }]) {
      const tenant = tenantOf(caller)
      const destinations = order.lines.map(({ destination }) => destination)
      const [spending, book, numbers] = await inOrder([
        lockSpending(tx, [tenant], usual),
        readBook(
          tx,
          destinations.flatMap((one) => (one.kind === 'book' ? [{ ...tenant, ...one }] : [])),
        ),
        findNumbers(
          tx,
          tenant,
          destinations.flatMap((one) => (one.kind === 'inline' ? [one.msisdn] : [])),
        ),
      ])
      return { spending, book, numbers }
    },
    decide(call, loaded, now) {
      const made = decideNewBatch(call, loaded, now)
      if (made.kind === 'refused') return made
      return accepted({ status: 201, body: viewBatch(made.batch, made.lines) }, [...made.effects])
    },
  }
}

/** A batch with its lines before its row is written. */
export type NewBatch = {
  readonly kind: 'made'
  readonly batch: store.LockedBatch
  readonly lines: readonly LineRow[]
  readonly effects: readonly Effect[]
}

/**
 * Decides a requested batch: a draft, or above the cap one that waits for an approval. Refusals as for `createBatchCommand`. Pure, except that
 * it adds the total to the merchant's `spending.used`.
 */
export function decideNewBatch({ caller, order, fee_amounts, order_key }: BatchCall, loaded: LoadedBatch, now: Date) {
  const tenant = tenantOf(caller)
  const lines: LineRow[] = []
  for (const [at, { amount, destination: wanted, reference }] of order.lines.entries()) {
    const rank = at + 1
    const destination = destinationOf(tenant, wanted, loaded.book, loaded.numbers)
    if (destination === null) {
      return refused('invalid_beneficiary', atRank(rank, 'This entry is not in the book, or is archived.'))
    }
    const unsent = { status: 'pending', payout_id: null, failure_code: null } as const
    lines.push({ ...destination, ...unsent, rank, amount, fee_amount: fee_amounts[at]!, reference })
  }
  if (!caller.merchant_active) return refused('merchant_inactive')

  const spending = loaded.spending.get(tenantKey(caller))!
  const total_amount = lines.reduce((sum, { amount }) => sum + amount, 0)
  // A waiting batch counts as well. Otherwise several waiting ones could pass the cap together.
  spending.used += total_amount
  const batch: BatchRow & { order_key: OrderKey } = {
    ...tenant,
    id: newId('pob', now.getTime()),
    status: spending.used > spending.caps.day ? 'en_attente_validation' : 'brouillon',
    reference: order.reference,
    currency: 'XOF',
    total_amount,
    line_count: lines.length,
    cap_day: spending.caps.day,
    made_by: authorOf(caller.maker),
    approved_at: null,
    created_at: now,
    executed_at: null,
    finished_at: null,
    order_key,
  }
  const effects = [
    recordUsage({ ...tenant, subject_id: batch.id, amount: total_amount, cap_total: spending.cap_total }),
    insertBatch({ batch, lines }),
    ...(batch.status === 'en_attente_validation' ? [tellOfWaiting(batch)] : []),
  ]
  const undecided = { decided_by: null, decline_reason: null, executed_by: null, open_lines: 0, bad_lines: 0 }
  return { kind: 'made', batch: { ...batch, ...undecided }, lines, effects } as const satisfies NewBatch
}

type Dependencies = {
  engine: Engine
  clock: Clock
  settings: ReadSettings
  orderKeyOf: OrderKeys
  caps: UsualCaps
}

/** Creates the operation that runs `createBatchCommand` with the fee schedule of each caller. */
export function createCreateBatch({ engine, clock, settings, orderKeyOf, caps }: Dependencies): CreateBatch {
  const create = engine.run(createBatchCommand(caps))
  return async (from, order) => {
    // The time is taken before the settings are read, so that they contain every schedule that has begun by then.
    const asked_at = clock.now()
    const merchant = await settings(from.caller.merchant_id)
    const fee_amounts = feesOf(merchant, order, asked_at)
    const order_key = await orderKeyOf(from.caller, from.idempotency.key)
    return create({ ...from, order, fee_amounts, order_key })
  }
}

/** Returns the fee of each line at a time, in francs. */
export function feesOf(merchant: MerchantSettings, { lines }: BatchOrder, at: Date): number[] {
  return lines.map(({ amount }) => feesAt(merchant, 'payout', amount, at).fee_amount)
}

/** Returns the text by which rows name a maker or executor. */
export function authorOf(maker: BatchCaller['maker']): string {
  return 'person' in maker ? maker.person : `key:${maker.key_id}`
}

type LineDestination = Pick<
  LineRow,
  'beneficiary_id' | 'archived_before' | 'is_inline' | 'name' | 'label' | 'msisdn' | 'operator'
>

/** Returns a line's destination. An inline one takes its label from the book, if its number is there. Null: no entry to pay. */
function destinationOf(
  tenant: Tenant,
  wanted: WantedDestination,
  book: PayoutBook,
  numbers: LoadedBatch['numbers'],
): LineDestination | null {
  if (wanted.kind === 'book') {
    const entry = book.find({ ...tenant, ...wanted })
    return entry && { ...entry, archived_before: null, is_inline: false }
  }
  const { msisdn, name } = wanted
  const { label, archived } = numbers.get(msisdn.e164)!
  const operator = wanted.operator ?? operatorOfPrefix(msisdn)
  return {
    beneficiary_id: null,
    archived_before: archived,
    is_inline: true,
    name,
    label,
    msisdn: msisdn.e164,
    operator,
  }
}
