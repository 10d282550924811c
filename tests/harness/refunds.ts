import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Closing, giveUpRefund, recordPaidRefund } from '../../src/refunds/close-refund.ts'
import * as acts from '../../src/refunds/create-refund.ts'
import type { RefundRow } from '../../src/refunds/refund.ts'
import type { Actor } from '../../src/values/actor.ts'
import { perform } from './perform.ts'

/** Closes a refund by hand. */
export async function closeRefund(deps: { sql: Sql; clock: Clock }, id: string, closing: Closing) {
  const outcome =
    closing.kind === 'paid'
      ? await perform(recordPaidRefund, deps, { id, values: { reference: closing.hand_reference } }, closing.closed_by)
      : await perform(giveUpRefund, deps, { id, values: { reason: closing.reason } }, closing.closed_by)
  return outcome.kind === 'done' ? ({ kind: 'closed', refund: outcome.result } as const) : outcome
}
export type CloseRefundResult = Awaited<ReturnType<typeof closeRefund>>

/** A refund that staff order. `key`: null for a command without one. */
export type RefundOrder = {
  payment_id: string
  livemode: boolean | null
  amount: number | null
  key: string | null
  given_seen: number | null
  requested_by: Actor
  reason: string | null
  by_hand: boolean
}
export type CreateRefundResult = { kind: 'created' | 'repeated'; refund: RefundRow } | ActRefused

/** Orders a refund. */
export async function createRefund(
  deps: { sql: Sql; clock: Clock; canRefund: acts.RefundDeps['canRefund'] },
  { payment_id: id, livemode, amount, key, given_seen: given, requested_by, reason, by_hand }: RefundOrder,
): Promise<CreateRefundResult> {
  const mode = livemode === null ? null : livemode ? 'live' : 'test'
  const values = { form: null, amount, given, reason, by_hand, key, mode, request: null }
  const made = await perform(
    acts.createRefund,
    { ...deps, secondPersonAbove: 1_000_000_000_000 },
    { id, values },
    requested_by,
  )
  assert.ok(made.kind !== 'ask_again')
  if (made.kind === 'refused') return made
  assert.ok('refund' in made.result)
  return { kind: made.result.repeated ? 'repeated' : 'created', refund: made.result.refund }
}
