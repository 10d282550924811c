import { chunksOf } from '../platform/chunks.ts'
import { createGroupCommit } from '../platform/commands/group-commit.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { tenantKey } from '../values/caller.ts'
import { allOf, type CallOperator } from './call-operator.ts'
import { type Instruction, type InstructionKey, instructionKey } from './instruction.ts'
import { SENT_TOGETHER } from './jobs.ts'
import type { QueryOperator } from './query-operator.ts'
import type { SendTerms } from './send-terms.ts'
import * as store from './store.ts'

/** Moves the payments, payouts or refunds whose sending begins, in the transaction that commits us to it. */
export type BeginSending = (tx: Tx, instructions: readonly Instruction[]) => Promise<unknown>

type Dependencies = {
  sql: Sql
  callOperator: CallOperator
  queryOperator: QueryOperator
  begin: Partial<Record<Instruction['direction'], BeginSending>>
  termsOf: SendTerms
  /** Hours after which a collection is no longer sent. */
  expiry_hours: number
}

/**
 * Sends prepared instructions: payouts, refunds, and every order that is to be sent again. Intent before wire: "sending" is committed first,
 * together with what it means for the payment, and only then is the operator called, with no transaction open. If we die in
 * between, the row says "sending" and the operator is asked; sending twice would cost real money, asking twice costs nothing. An order
 * that the operator then does not hold may leave again (send-again.ts).
 *
 * An instruction that another run left in "sending" belongs to a worker that died, or that was taken for dead and is still
 * sending: we ask about it at once, rather than when the sweep comes to it.
 */
export function createSendInstructions({
  sql,
  callOperator,
  queryOperator,
  begin,
  termsOf,
  expiry_hours,
}: Dependencies) {
  /** Begins those of all jobs together. Null: it was begun by another run, or is not to be sent now. */
  const beginSending = createGroupCommit<InstructionKey, Instruction | null>(sql, {
    tenantOf: (key) => key,
    ownerOf: tenantKey,
    lanes: 2,
    committed: () => crashPoint('after_intent_commit'),
    async run(tx, keys) {
      const begun = await store.beginSending(tx, keys, expiry_hours, termsOf)
      for (const [direction, group] of Map.groupBy(begun, (instruction) => instruction.direction)) {
        await begin[direction]?.(tx, group)
      }
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
    for (const chunk of chunksOf(keys, SENT_TOGETHER)) await sendChunk(chunk)
  }

  /** Each by itself from here on: one that cannot be begun, or whose answer cannot be written, keeps no other from being sent. */
  async function sendChunk(keys: readonly InstructionKey[]): Promise<void> {
    const takenAt = performance.now()
    const alreadySending: InstructionKey[] = []
    const sent = keys.map(async (key) => {
      const instruction = await beginSending(key)
      if (instruction === null) alreadySending.push(key)
      else await callOperator(instruction, takenAt)
    })
    await allOf(sent).finally(() =>
      alreadySending.length > 0 ? queryOperator(alreadySending, ['sending']) : undefined,
    )
  }
}
