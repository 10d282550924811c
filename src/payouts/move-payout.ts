import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { findTransition } from '../values/transition.ts'
import { emitEvents } from '../webhooks/emit.ts'
import { type PayoutRow, viewPayout } from './payout.ts'
import { type PayoutTrigger, transitions } from './states.ts'
import * as store from './store.ts'

export type Trigger = store.PayoutKey & { trigger: PayoutTrigger; failure_code: FailureCode | null }

/**
 * Moves payouts along the table of states and tells their merchants, in the caller's transaction. Returns the payouts
 * that moved, as they now stand; what the table does not allow from where a payout stands is left alone.
 */
export async function transitionPayouts(tx: Tx, triggers: readonly Trigger[], clock: Clock): Promise<PayoutRow[]> {
  if (triggers.length === 0) return []
  const byId = new Map(triggers.map((one) => [one.payout_id, one]))
  const payouts = await store.lockPayouts(tx, [...byId.values()])
  const moves = payouts.flatMap((payout): (store.Move & { event: (typeof transitions)[number]['event'] })[] => {
    const { trigger, failure_code } = byId.get(payout.id)!
    const transition = findTransition(transitions, payout.status, trigger)
    if (transition === null) return []
    const { merchant_id, livemode, id } = payout
    const { from, to, event } = transition
    return [
      { merchant_id, livemode, payout_id: id, from_status: from, to_status: to, cause: trigger, failure_code, event },
    ]
  })
  if (moves.length === 0) return []
  const moved = await store.movePayouts(tx, moves)
  const events = new Map(moves.map(({ payout_id, event }) => [payout_id, event]))
  await emitEvents(
    tx,
    moved.map((payout) => ({
      merchant_id: payout.merchant_id,
      livemode: payout.livemode,
      type: events.get(payout.id)!,
      subject_id: payout.id,
      data: viewPayout(payout),
    })),
    clock.now(),
  )
  return moved
}
