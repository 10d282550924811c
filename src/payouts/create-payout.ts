import { feesAt, type ReadSettings } from '../merchants/fees.ts'
import type { OrderKeys } from '../operators/order-keys.ts'
import type { OrderKey } from '../operators/reference.ts'
import type { Clock } from '../platform/clock.ts'
import { accepted, type Command } from '../platform/commands/command.ts'
import type { Engine, Outcome } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import type { Caller } from '../values/caller.ts'
import { loadPayouts, orderPayout, type PayoutOrder, type PayoutRefusal } from './order-payout.ts'
import type { UsualCaps } from './spending-limits.ts'

/** 201 with a payout, or 202 with a payout request that waits for approval. */
export type CreatePayoutResult = Outcome<PayoutRefusal>

type From = CallFrom<Caller, Idempotency>

export type CreatePayout = (from: From, order: PayoutOrder) => Promise<CreatePayoutResult>

export type PayoutCall = From & { order: PayoutOrder; fee_amount: number; order_key: OrderKey }

/**
 * Creates payouts for API keys, decided by `orderPayout`. A refused call writes nothing, also not to the book.
 * @param usual the service's caps, for merchants without caps of their own
 * @param request_expiry_days days after which a request that nobody decided expires
 */
export function createPayoutCommand(
  usual: UsualCaps,
  request_expiry_days: number,
): Command<PayoutCall, Awaited<ReturnType<typeof loadPayouts>>, PayoutRefusal> {
  return {
    exclusive: true,
    load: (tx, calls) => loadPayouts(tx, calls, usual),
    decide(call, loaded, now) {
      const ordered = orderPayout(call, loaded, request_expiry_days, now)
      if (ordered.kind === 'refused') return ordered
      const { status, body, effects } = ordered
      return accepted({ status, body }, effects)
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
