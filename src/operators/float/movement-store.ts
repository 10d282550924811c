import type { Tx } from '../../platform/postgres/database.ts'
import { insertRows, matching } from '../../platform/postgres/rows.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'

/** The change that an order made to the money that the operator of its connector holds, in francs. */
export type Movement = InstructionKey &
  Pick<Instruction, 'direction' | 'operator' | 'amount'> & {
    /** 1: the order itself; 2: the correction of its charge. */
    number: number
    connector: string
    charge: number
    charge_stated: boolean
    /** The operator moved the money between these. */
    sent_at: Date
    moved_at: Date
  }

/** Does not wait: the rows travel with what follows. The key refuses a second movement of one instruction. */
export function insertMovements(tx: Tx, movements: readonly Movement[]): void {
  if (movements.length > 0) insertRows(tx, 'connector_movements', movements)
}

/** The movements of instructions that this transaction has locked; not those whose charge was corrected before. */
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
