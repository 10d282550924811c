import { chunksOf } from '../platform/chunks.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Log } from '../platform/log.ts'
import { BEHIND, createBatcher, ofOneMerchant } from '../platform/postgres/batcher.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { AskOperator } from './ask-operator.ts'
import { simulatedAnswer, withinDeadline } from './call-operator.ts'
import type { Answer } from './decide.ts'
import { type Instruction, type InstructionKey, instructionKey, orderOf } from './instruction.ts'
import type { RecordAnswer } from './record-answer.ts'
import type { Registry } from './registry.ts'
import * as store from './store.ts'

/** What a payment, payout or refund does when its sending begins, in the transaction that commits us to it. */
export type BeginSending = (tx: Tx, instructions: readonly Instruction[]) => Promise<void>

type Dependencies = {
  sql: Sql
  log: Log
  registry: Registry
  record: RecordAnswer
  ask: AskOperator
  begin: Partial<Record<Instruction['direction'], BeginSending>>
  /** Hours after which a collection is no longer sent. */
  expiry_hours: number
}

/**
 * Sends of one job under way at once. A job begins no more than it sends at once: what was begun and not sent when a
 * process dies is in doubt, and its money with it.
 */
const SENT_TOGETHER = 32

/**
 * Milliseconds after its job was taken up, a little before its intent was committed, in which a send may begin. A worker that
 * froze in between and wakes later sends nothing: somebody may have drawn conclusions by then. It says that it did not,
 * which is certain.
 */
const SEND_WITHIN = 30_000

/**
 * Sends prepared instructions. Intent before wire: "sending" is committed first, together with what it means for the
 * payment, and only then is the operator called, with no transaction open. If we die in between, the row says "sending"
 * and the operator is asked; sending twice would cost real money, asking twice costs nothing.
 *
 * What another run began and is still "sending" was left by a worker that died, or is on its way in one that was taken
 * for dead: it is asked about at once, rather than when the sweep comes to it.
 */
export function createCarryOut({ sql, log, registry, record, ask, begin, expiry_hours }: Dependencies) {
  /** Begins those of all jobs together. Null: it was begun by another run, or is not to be sent now. */
  const beginSending = createBatcher<InstructionKey, Instruction | null>({
    ...BEHIND,
    lanes: 2,
    owner: ({ merchant_id, livemode }) => `${merchant_id}/${livemode}`,
    ...ofOneMerchant(sql, (key) => key),
    async run(keys) {
      const begun = await sql.begin(async (tx) => {
        const instructions = await store.beginSending(tx, keys, expiry_hours)
        for (const [direction, group] of Map.groupBy(instructions, (instruction) => instruction.direction)) {
          await begin[direction]?.(tx, group)
        }
        return instructions
      })
      crashPoint('after_intent_commit')
      const byKey = new Map(begun.map((instruction) => [instructionKey(instruction), instruction]))
      return keys.map((key) => {
        const instruction = byKey.get(instructionKey(key)) ?? null
        // Two jobs may name it in the same moment: one of them sends.
        byKey.delete(instructionKey(key))
        return instruction
      })
    },
  })

  return async (keys: readonly InstructionKey[]): Promise<void> => {
    for (const chunk of chunksOf(keys, SENT_TOGETHER)) await carryOutTogether(chunk)
  }

  /** Each by itself from here on: one that cannot be begun, or whose answer cannot be written, keeps no other from being sent. */
  async function carryOutTogether(keys: readonly InstructionKey[]): Promise<void> {
    const takenAt = performance.now()
    const begunBefore: InstructionKey[] = []
    const ends = await Promise.allSettled(
      keys.map(async (key) => {
        const instruction = await beginSending(key)
        if (instruction === null) begunBefore.push(key)
        else await sendBegun(instruction, takenAt)
      }),
    )
    if (begunBefore.length > 0) await ask(begunBefore, ['sending'])
    const failed = ends.find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
  }

  async function sendBegun(instruction: Instruction, takenAt: number): Promise<void> {
    crashPoint('before_send')
    const tooLate = performance.now() - takenAt > SEND_WITHIN
    const answer = tooLate ? neverSent : await send(registry, instruction, log)
    crashPoint('after_send')
    await record({ key: instruction, source: 'send', answer })
  }
}

const neverSent: Answer = { kind: 'not_sent', evidence: { reason: 'the worker was frozen before it sent' } }

async function send(registry: Registry, instruction: Instruction, log: Log): Promise<Answer> {
  const simulated = simulatedAnswer(instruction)
  if (simulated !== null) return simulated
  const connector = registry.connectorFor(instruction)
  if (connector === null) {
    return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason: 'no connector is set up' } }
  }
  return withinDeadline(() => connector.send(orderOf(instruction)), log)
}
