import { createGroupCall } from '../../platform/commands/group-commit.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Instruction, type InstructionKey, instructionKey, orderOf } from '../instruction.ts'
import type { InstructionState } from '../instruction-states.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import * as store from '../store.ts'
import { isOfBusyMerchant } from './jobs.ts'
import { lapseOfCode } from './lapse-of-code.ts'
import type { RecordAnswer } from './record/received-answer.ts'
import { simulatedAnswer, withinDeadline } from './within-deadline.ts'

/** Called with instructions that their operators have just said they do not hold. */
export type SendAgain = (keys: readonly InstructionKey[]) => Promise<void>

type Dependencies = { sql: Sql; log: Log; registry: Registry; record: RecordAnswer; sendAgain: SendAgain }

/**
 * States in which we send inquiries. `refused` is one of them: a proof may still come after a request lapsed, and that
 * is money owed to the merchant. For a refused instruction a callback or a late look triggers the inquiry; the sweep
 * repeats it only when the answer settled nothing.
 */
const askedStates: readonly InstructionState[] = ['sending', 'sent', 'unknown', 'refused']

export type QueryOperator = (
  keys: readonly InstructionKey[],
  states?: readonly InstructionState[],
  /** Whether a late look makes us ask. */
  is_look?: boolean,
) => Promise<void>

/** Looks again at refused orders, one after another, because nobody waits for them. */
export function createLookAgain(queryOperator: QueryOperator) {
  return async (keys: readonly InstructionKey[]): Promise<void> => {
    for (const key of keys) await queryOperator([key], ['refused'], true)
  }
}

/**
 * Sends inquiries about instructions and records the answers. It skips instructions that were not sent yet, that are
 * confirmed, or that are not in the state that the caller names. Only from here may an instruction be sent again that
 * its operator does not hold: an inquiry always comes first.
 */
export function createQueryOperator({ sql, log, registry, record, sendAgain }: Dependencies): QueryOperator {
  // Shared by all jobs. If each read by itself, hundreds of jobs would take all connections of the process.
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

  return async (keys, states = askedStates, is_look = false) => {
    const known = await Promise.all(keys.map(read))
    const instructions = known.flatMap((one) => (one !== null && states.includes(one.state) ? [one] : []))
    const notHeld: InstructionKey[] = []
    const of_busy = isOfBusyMerchant(keys)
    await Promise.all(
      instructions.map(async (instruction) => {
        const answer = simulatedAnswer(instruction) ?? (await lapseOfCode(sql, instruction)) ?? (await ask(instruction))
        if (answer === null) return
        await record({
          key: instruction,
          source: 'inquiry',
          answer,
          asked_after: instruction.attempts,
          is_look,
          of_busy,
        })
        if (answer.kind === 'not_found') notHeld.push(instruction)
      }),
    )
    await sendAgain(notHeld)
  }

  async function ask(instruction: Instruction) {
    const connector = connectorOf(registry, instruction)
    // The connector was removed. The sweep tries again, in case it comes back.
    if (connector === null) return null
    return withinDeadline(() => connector.read(orderOf(instruction)), log)
  }
}
