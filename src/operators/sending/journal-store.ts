import type { Tx } from '../../platform/postgres/database.ts'
import { given, insertRows, sameRow } from '../../platform/postgres/rows.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import type { SendTerms } from './send-terms.ts'

/**
 * Writes the send journal, and the look-up rows by which an operator's report finds its instruction. An order that is
 * sent again already has its look-up row. When another connector now carries the order, the row moves to it: that
 * connector was the only one given the order. Simulated payments go to nobody and have no row. The transaction fails
 * when the reference belongs to another order, and when the database sees no reason for a further send (`check_send`).
 * Does not wait.
 */
export function writeJournal(tx: Tx, begun: readonly Instruction[], termsOf: SendTerms): void {
  const sent = begun.filter(({ connector }) => connector !== null)
  const sends = sent.map((instruction) => {
    const { merchant_id, livemode, subject_id, attempts: attempt, connector, reference } = instruction
    return { merchant_id, livemode, subject_id, attempt, connector, reference, ...termsOf(instruction) }
  })
  insertRows(tx, 'sends', sends)
  const lookups = sent.filter(({ attempts }) => attempts === 1)
  insertRows(tx, 'operator_references', lookups)
  moveLookups(
    tx,
    sent.filter(({ attempts, sent_again }) => attempts > 1 && sent_again === 0),
  )
}

/** Reads those of the references under which an order was sent before, whatever its connector. */
export async function findUsedReferences(tx: Tx, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) return []
  const rows = await tx<{ reference: string }[]>`
    select reference
      from operator_references
     where reference = any(${[...references]}::text[])`
  return rows.map(({ reference }) => reference)
}

function moveLookups(tx: Tx, sent: readonly Instruction[]): void {
  if (sent.length === 0) return
  const found = sent.map(({ reference, connector }) => ({ reference, connector: connector! }))
  tx.send(tx`
    update operator_references r
       set connector = k.connector
      from ${given(tx, 'operator_references k', found, ['reference', 'connector'])}
     where r.reference = k.reference and r.connector <> k.connector`)
}

/** The key of one send of an instruction. `attempt` counts from 1. */
export type SendKey = InstructionKey & { attempt: number }

/**
 * Records that sends never left us. That alone allows another send, as long as no other send of the instruction may
 * have left. Does not wait.
 */
export function markNotSent(tx: Tx, keys: readonly SendKey[]): void {
  if (keys.length === 0) return
  tx.send(tx`
    update sends s
       set not_sent_at = clock_now()
      from ${given(tx, 'sends k', keys, ['merchant_id', 'livemode', 'subject_id', 'attempt'])}
     where ${sameRow(tx, 's', 'k', keys, ['subject_id', 'attempt'])} and s.not_sent_at is null`)
}

/** Whether a send of the instruction began after a moment, by the database's clock. */
export async function hasLeftSince(
  tx: Tx,
  { merchant_id, livemode, subject_id }: InstructionKey,
  moment: Date,
): Promise<boolean> {
  const rows = await tx`
    select attempt
      from sends
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and sent_at > ${moment}
     limit 1`
  return rows.length > 0
}
