import type { Tx } from '../../../platform/postgres/database.ts'
import { keepAnomalies } from '../../doubts/anomalies.ts'
import type { Instruction, InstructionKey } from '../../instruction.ts'
import { isPromised } from '../../port.ts'
import { connectorOf, type Registry } from '../../routing/registry.ts'
import { writeJournal } from '../journal-store.ts'
import { repetitionOf } from '../repetition.ts'
import { isOnSameTerms } from '../send-terms.ts'
import * as store from '../sending-store.ts'
import type { BeginDeps } from './mark-sending.ts'
import { atNextSend, moved } from './next-send.ts'

/** Reasons why an order that its operator does not hold is not sent again. */
const LIMIT_REACHED = 'the limit of sends is reached, and its operator does not hold it'
const OTHER_TERMS = 'its connector has other settings since the last send, and with these the operator does not hold it'
const TOO_OLD = 'its operator does not hold it, and may have forgotten its reference since the first send'

/**
 * Begins to send again orders that may have left. That is safe under two conditions: since the last send the operator
 * has said, often and long enough, that it does not hold the reference, and it promises never to execute a reference
 * twice. An earlier send that still arrives is the same order with the same reference. The journal holds this
 * evidence, and the database refuses a send without it (`check_send`). In an outage an order waits between its
 * repetitions (`repetitionOf`). One that reached the limit of sends, would leave on other terms than before, or is too
 * old for the promise becomes an anomaly for people (`in_doubt`), and inquiries go on.
 */
export async function beginAgain(
  deps: BeginDeps<unknown>,
  tx: Tx,
  keys: readonly InstructionKey[],
): Promise<Instruction[]> {
  const notHeld = (await store.lockNotHeld(tx, keys, deps.expiry_hours)).map((one) => judged(deps, one))
  const kept = notHeld.flatMap(({ one, doubt }) => (doubt === null ? [] : [inDoubt(one, doubt)]))
  await keepAnomalies(tx, kept, deps.clock.now())
  const due = notHeld.flatMap(({ one, isDue }) => (isDue ? [one] : []))
  const begun = due.map((one) => ({ ...moved(atNextSend(one), 'sent_again'), sent_again: one.sent_again + 1 }))
  store.updateSending(tx, begun)
  writeJournal(tx, begun, deps.termsOf)
  return begun
}

/** Whether an order that its operator does not hold is sent again now. `doubt`: the reason why it never is. */
function judged(
  { registry, termsOf }: BeginDeps<unknown>,
  { last_terms, last_sent, ...one }: store.NotHeld,
): { one: Instruction; isDue: boolean; doubt: string | null } {
  const answers = one.connector !== null && registry.hasAnswered(one.connector)
  const repetition = repetitionOf({ ...one, last_sent }, answers)
  const never = (doubt: string) => ({ one, isDue: false, doubt })
  if (repetition === 'never') return never(LIMIT_REACHED)
  if (!isOnSameTerms(last_terms, termsOf(one))) return never(OTHER_TERMS)
  if (!isStillPromised(registry, one)) return never(TOO_OLD)
  return { one, isDue: repetition === 'now', doubt: null }
}

function isStillPromised(registry: Registry, instruction: Instruction): boolean {
  const promise = connectorOf(registry, instruction)?.promises[instruction.direction]
  return promise !== undefined && isPromised(promise, instruction.sent_ms_ago ?? 0)
}

function inDoubt({ merchant_id, livemode, subject_id, operator, attempts }: Instruction, reason: string) {
  const evidence = { reason, attempts }
  return { merchant_id, livemode, subject_id, operator, kind: 'in_doubt' as const, fact: `${attempts} sends`, evidence }
}
