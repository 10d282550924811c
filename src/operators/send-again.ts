import { chunksOf } from '../platform/chunks.ts'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { eachShard } from '../platform/each-shard.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { beginAgain, lockNotHeld } from './again-store.ts'
import { keepAnomalies } from './anomalies.ts'
import { allOf, type CallOperator } from './call-operator.ts'
import { SENDS_MAX } from './decide.ts'
import type { Instruction, InstructionKey } from './instruction.ts'
import { SENT_TOGETHER } from './jobs.ts'
import type { SendTerms } from './send-terms.ts'

type Dependencies = {
  sql: Sql
  clock: Clock
  callOperator: CallOperator
  termsOf: SendTerms
  /** Hours after which a collection is no longer sent. */
  expiry_hours: number
}

/** Called with what operators have just said that they do not hold. */
export type SendAgain = (keys: readonly InstructionKey[]) => Promise<void>

/**
 * Sends once more what may have left, where that is certain to move money once at most: its operator has said, often and long enough since
 * the last send, that it does not hold the reference, and promises never to carry one reference out twice. An earlier send that still
 * arrives is the same order with the same reference. The journal holds this evidence, and the database refuses a send without it
 * (`check_send`).
 *
 * An instruction that was sent as often as may be, and is still not held, is kept for people (`in_doubt`), and goes on being asked about.
 */
export function createSendAgain({ sql, clock, callOperator, termsOf, expiry_hours }: Dependencies): SendAgain {
  return async (keys) => {
    for (const chunk of chunksOf(keys, SENT_TOGETHER)) {
      const takenAt = performance.now()
      const begun = await eachShard(sql, chunk, (some) => sql.begin((tx) => beginTogether(tx, some)))
      crashPoint('after_intent_commit')
      await allOf(begun.flat().map((instruction) => callOperator(instruction, takenAt)))
    }
  }

  async function beginTogether(tx: Tx, keys: readonly InstructionKey[]): Promise<Instruction[]> {
    const { again = [], spent = [] } = Object.groupBy(await lockNotHeld(tx, keys, expiry_hours), ({ attempts }) =>
      attempts < SENDS_MAX ? 'again' : 'spent',
    )
    await keepAnomalies(tx, spent.map(inDoubt), clock.now())
    return beginAgain(tx, again, termsOf)
  }
}

function inDoubt({ merchant_id, livemode, subject_id, operator, attempts }: Instruction) {
  const evidence = { reason: 'sent as often as may be, and its operator does not hold it', attempts }
  return { merchant_id, livemode, subject_id, operator, kind: 'in_doubt' as const, fact: `${attempts} sends`, evidence }
}
