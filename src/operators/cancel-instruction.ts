import { defineEffect } from '../platform/commands/effects.ts'
import type { InstructionKey } from './instruction.ts'
import { nextState } from './instruction-states.ts'
import { updateNotRoutable } from './sending/sending-store.ts'

/** Ends a `prepared` instruction that the transaction has locked. It is never sent. */
export const cancelInstruction = defineEffect<InstructionKey>('instruction', (tx, keys) =>
  updateNotRoutable(
    tx,
    keys.map((key) => ({ ...key, state: nextState('prepared', 'cancelled'), failure_code: 'cancelled' })),
  ),
)
