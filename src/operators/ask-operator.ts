import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { withinDeadline } from './carry-out-instruction.ts'
import { type InstructionKey, orderOf } from './instruction.ts'
import type { RecordAnswer } from './record-answer.ts'
import type { Registry } from './registry.ts'
import * as store from './store.ts'

type Dependencies = { sql: Sql; log: Log; registry: Registry; record: RecordAnswer }

/** Asks operators what became of instructions, and takes in what they say. Those that have ended are left alone. */
export function createAskOperator({ sql, log, registry, record }: Dependencies) {
  return async (keys: readonly InstructionKey[]): Promise<void> => {
    const open = await store.readOpenInstructions(sql, keys)
    await Promise.all(
      open.map(async (instruction) => {
        const connector = registry.connectorFor(instruction)
        // A connector that was taken away: nobody can be asked until it is back, and the sweep will try again.
        if (connector === null) return
        const answer = await withinDeadline(() => connector.read(orderOf(instruction)), log)
        await record({ key: instruction, source: 'inquiry', answer })
      }),
    )
  }
}
