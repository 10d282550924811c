import { applyEffects, type Effect } from '../../../platform/commands/effects.ts'
import type { Tx } from '../../../platform/postgres/database.ts'
import { type Instruction, type InstructionKey, instructionKey } from '../../instruction.ts'
import { connectorOf, type Registry } from '../../routing/registry.ts'
import { writeJournal } from '../journal-store.ts'
import { withOwnReferences } from '../own-reference.ts'
import * as store from '../sending-store.ts'
import type { BeginDeps, MarkOrders } from './mark-sending.ts'
import { atNextSend, handOut, moved, withConnector } from './next-send.ts'

/**
 * Milliseconds until an order that waits for an available connector is tried again; a random spread makes it up to
 * twice as long.
 */
const WAIT_MS = 10_000

/**
 * Begins prepared payouts and refunds, and instructions whose send is proven not to have left. It leaves out those
 * that are stopped or too old. Payouts and refunds stay as they are while no connector of their route is available,
 * or until the refund before them ends. A collection never waits for a connector, because its payer would be asked
 * when nobody expects it.
 */
export async function beginPrepared(
  deps: BeginDeps<MarkOrders>,
  tx: Tx,
  keys: readonly InstructionKey[],
): Promise<(Instruction | null)[]> {
  const { registry, clock, termsOf, expiry_hours } = deps
  const prepared = await store.lockPrepared(tx, keys, expiry_hours)
  const { behind = [], next = [] } = Object.groupBy(prepared, (one) =>
    waitsForAnother(registry, one) ? 'behind' : 'next',
  )
  const tried = withOwnReferences(next).map((one) => withConnector(deps, atNextSend(atItsLock(one))))
  const { waiting = [], begun = [] } = Object.groupBy(tried, (one) => (mayWait(one) ? 'waiting' : 'begun'))
  const sending = begun.filter(({ failure_code }) => failure_code === null).map((one) => moved(one, 'sending_began'))
  const refused = begun.filter(({ failure_code }) => failure_code !== null).map((one) => moved(one, 'not_routable'))
  store.updateSending(tx, sending)
  writeJournal(tx, sending, termsOf)
  store.updateNotRoutable(tx, refused)
  store.updateWaiting(tx, [...behind.map(atItsLock), ...waiting].map(lookedAtLater))
  const effects = begun.flatMap((one) => consequencesOf(deps, one))
  await applyEffects(tx, effects, clock.now())
  return handOut(keys.map(instructionKey), new Map(sending.map((one) => [instructionKey(one), one])))
}

/** Whether this is a refund that its operator would refuse now, because another refund of the same payment comes first. */
function waitsForAnother(registry: Registry, { is_behind, ...instruction }: store.Prepared): boolean {
  return is_behind && connectorOf(registry, instruction)?.refundsInTurn === true
}

/** Whether it may wait for a connector: only payouts and refunds may. */
function mayWait({ direction, failure_code }: Instruction): boolean {
  return failure_code === 'operator_unavailable' && direction !== 'collect'
}

/**
 * The effects on the payout or refund of an instruction whose sending begins, or that no connector can carry. A collection is `prepared` only
 * after a send that did not leave: its payment is pending, and moves only when it ends.
 */
function consequencesOf({ mark, conclude }: BeginDeps<MarkOrders>, begun: Instruction): readonly Effect[] {
  const { merchant_id, livemode, subject_id, direction, failure_code } = begun
  if (direction !== 'collect') return [mark[direction](begun)]
  if (failure_code === null) return []
  return conclude({ merchant_id, livemode, subject_id, conclusion: { kind: 'failed', failure_code }, wallet: null })
}

/** The instruction with the time of its next try. The random spread matters because a circuit tries one order at a time. */
function lookedAtLater(instruction: Instruction): Instruction {
  const after_ms = WAIT_MS * (1 + Math.random())
  return { ...instruction, next_check_at: new Date(instruction.sent_at!.getTime() + after_ms) }
}

/** A locked instruction with `sent_at` set to the time of its lock. */
function atItsLock({ locked_at, is_behind: _, reference_used: __, ...instruction }: store.Prepared): Instruction {
  return { ...instruction, sent_at: locked_at, sent_ms_ago: 0 }
}
