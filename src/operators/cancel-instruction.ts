import { defineEffect } from '../platform/commands/effects.ts'
import type { InstructionKey } from './instruction.ts'
import { updateNotRoutable } from './sending/sending-store.ts'

/** Ends an instruction that is `prepared`, locked by the transaction: it is never sent. */
export const cancelInstruction = defineEffect<InstructionKey>('instruction', (tx, keys) =>
  updateNotRoutable(
    tx,
    keys.map((key) => ({ ...key, failure_code: 'cancelled' })),
  ),
)
