import type { Tx } from '../../platform/postgres/database.ts'
import { insertRows, matching } from '../../platform/postgres/rows.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'

/** The change of our money at a connector's operator by one order, in francs. */
export type Movement = InstructionKey &
  Pick<Instruction, 'direction' | 'operator' | 'amount'> & {
    /** 1: the order itself; 2: the correction of its charge. */
    number: number
    connector: string
    charge: number
    charge_stated: boolean
    /** The operator moved the money between these two times. */
    sent_at: Date
    moved_at: Date
  }

/** Inserts movements. The key refuses a second one with the same `number`. */
export function insertMovements(tx: Tx, movements: readonly Movement[]): void {
  if (movements.length > 0) insertRows(tx, 'connector_movements', movements)
}

/** Reads the movements of instructions that this transaction has locked, except those whose charge was corrected already. */
export async function readUncorrected(tx: Tx, keys: readonly InstructionKey[]): Promise<Movement[]> {
  return tx<Movement[]>`
    select m.merchant_id, m.livemode, m.subject_id, m.number, m.connector, m.operator, m.direction, m.amount, m.charge,
           m.charge_stated, m.sent_at, m.moved_at
      from ${matching(tx, 'connector_movements m', keys, 'subject_id')}
     where m.number = 1
       and not exists (
             select
               from connector_movements c
              where (c.merchant_id, c.livemode, c.subject_id) = (m.merchant_id, m.livemode, m.subject_id)
                and c.number = 2)`
}
