import { createGroupCall } from '../../platform/commands/group-commit.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import {
  type Instruction,
  type InstructionKey,
  type InstructionState,
  instructionKey,
  orderOf,
} from '../instruction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import * as store from '../store.ts'
import { lapseOfCode } from './lapse-of-code.ts'
import type { RecordAnswer } from './record-answer.ts'
import { simulatedAnswer, withinDeadline } from './within-deadline.ts'

/** Called with instructions that their operators have just said not to hold. */
export type SendAgain = (keys: readonly InstructionKey[]) => Promise<void>

type Dependencies = { sql: Sql; log: Log; registry: Registry; record: RecordAnswer; sendAgain: SendAgain }

/**
 * States in which there is something to ask about. A refusal is one: a proof may still come after a request lapsed, and
 * is money that the merchant is owed. Only a callback makes us ask then; the sweep has a reason to only when the answer to
 * that settled nothing.
 */
const askedStates: readonly InstructionState[] = ['sending', 'sent', 'unknown', 'refused']

export type QueryOperator = (keys: readonly InstructionKey[], states?: readonly InstructionState[]) => Promise<void>

/**
 * Asks operators what became of instructions, and takes in what they say. Those not yet sent and those confirmed, or in
 * another state than the caller names, are left alone. An instruction that its operator does not hold may be sent again from here, and from nowhere
 * else: asking comes first, always.
 */
export function createQueryOperator({ sql, log, registry, record, sendAgain }: Dependencies): QueryOperator {
  // For all jobs together. Each by itself would take a connection, and hundreds of them would keep everything else in this process from one.
  const read = createGroupCall<InstructionKey, Instruction | null>(sql, {
    tenantOf: (key) => key,
    turnOf: ({ merchant_id }) => String(merchant_id),
    concurrency: 2,
    async run(keys) {
      const rows = await store.readInstructionsIn(sql, askedStates, keys)
      const found = new Map(rows.map((row) => [instructionKey(row), row]))
      return keys.map((key) => found.get(instructionKey(key)) ?? null)
    },
  })

  return async (keys, states = askedStates) => {
    const known = await Promise.all(keys.map(read))
    const instructions = known.flatMap((one) => (one !== null && states.includes(one.state) ? [one] : []))
    const notHeld: InstructionKey[] = []
    await Promise.all(
      instructions.map(async (instruction) => {
        const answer = simulatedAnswer(instruction) ?? (await lapseOfCode(sql, instruction)) ?? (await ask(instruction))
        if (answer === null) return
        await record({ key: instruction, source: 'inquiry', answer, asked_after: instruction.attempts })
        if (answer.kind === 'not_found') notHeld.push(instruction)
      }),
    )
    await sendAgain(notHeld)
  }

  async function ask(instruction: Instruction) {
    const connector = connectorOf(registry, instruction)
    // A connector that was taken away: nobody can be asked until it is back, and the sweep will try again.
    if (connector === null) return null
    return withinDeadline(() => connector.read(orderOf(instruction)), log)
  }
}
