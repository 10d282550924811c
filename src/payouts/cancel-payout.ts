import { cancelInstruction } from '../operators/cancel-instruction.ts'
import { lockInstructions } from '../operators/store.ts'
import { accepted, type Command, refused } from '../platform/commands/command.ts'
import type { Engine, Run } from '../platform/commands/engine.ts'
import type { CallFrom } from '../platform/http/call.ts'
import { rowKey, type Tenant, tenantOf } from '../values/caller.ts'
import { type FollowPayout, movePayout, transitionPayout } from './move-payout.ts'
import { viewPayout } from './payout.ts'
import * as store from './store.ts'

type RefusalCode =
  | 'resource_not_found'
  /** The payout was already sent to its operator, or has ended. */
  | 'payout_not_cancellable'

/** The payouts of these calls, by `rowKey`, locked after their instructions. */
type Loaded = Map<string, store.LockedPayout>

export type CancelPayoutCall = CallFrom<Tenant, null> & { payout_id: string }

export type CancelPayout = Run<CancelPayoutCall, RefusalCode>

/**
 * Cancels a payout that has not been sent yet and returns its money to the transfer balance. Cancelling and sending
 * both lock the instruction first, so exactly one of them moves the payout. The call takes no `Idempotency-Key`: a
 * repeated call answers `payout_not_cancellable`.
 */
export function cancelPayoutCommand(follow: FollowPayout): Command<CancelPayoutCall, Loaded, RefusalCode> {
  return {
    async load(tx, calls) {
      const keys = calls.map(({ caller, payout_id }) => ({ ...tenantOf(caller), payout_id, subject_id: payout_id }))
      await lockInstructions(tx, keys)
      const payouts = await store.lockPayouts(tx, keys)
      return new Map(payouts.map((payout) => [rowKey(payout, payout.id), payout]))
    },
    decide({ caller, payout_id }, payouts, now) {
      const key = rowKey(caller, payout_id)
      const payout = payouts.get(key)
      if (payout === undefined) return refused('resource_not_found')
      const trigger = { trigger: 'cancelled', failure_code: 'cancelled' } as const
      const cancelled = transitionPayout(payout, trigger, now)
      if (cancelled === null) return refused('payout_not_cancellable')
      payouts.set(key, cancelled.row)
      const ends = cancelInstruction({ ...tenantOf(payout), subject_id: payout.id })
      const effects = [ends, ...movePayout(payout, trigger, now, follow)]
      return accepted({ status: 200, body: viewPayout(cancelled.row) }, effects)
    },
  }
}

/** Runs `cancelPayoutCommand` on the engine. */
export function createCancelPayout({ engine, follow }: { engine: Engine; follow: FollowPayout }): CancelPayout {
  return engine.run(cancelPayoutCommand(follow))
}
