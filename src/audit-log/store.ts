import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Door } from '../values/actor.ts'

type NewAct = {
  merchant_id: number
  livemode: boolean | null
  actor: string
  door: Door
  /** The client's address; null: the act came from the host itself. */
  from_address: string | null
  /** The fresh factor by which the person agreed to this act; null: none was asked for. */
  step_up_id: string | null
  act: string
  subject: string | null
  before: object | null
  after: object | null
}

export type StoredAct = NewAct & { id: string; at: Date }

/** One line, which nobody waits for: it travels with what follows, at the latest with the commit. */
export function insertAct(tx: Tx, { before, after, ...line }: NewAct): void {
  tx.send(tx`
    insert into audit_log (merchant_id, livemode, actor, door, from_address, step_up_id, act, subject, before, after)
    values (${line.merchant_id}, ${line.livemode}, ${line.actor}, ${line.door}, ${line.from_address}, ${line.step_up_id},
            ${line.act}, ${line.subject}, ${before === null ? null : tx.json(before)}, ${after === null ? null : tx.json(after)})`)
}

/** The newest lines; of one merchant they stand together in the primary key, of all in an index by time. */
export async function readActs(db: Db, merchant_id: number | null, limit: number): Promise<StoredAct[]> {
  return db<StoredAct[]>`
    select at, actor, door, host(from_address) as from_address, step_up_id, act, merchant_id, livemode, subject, before,
           after, id
      from audit_log
     where ${merchant_id === null ? db`true` : db`merchant_id = ${merchant_id}`}
     order by at desc, id desc
     limit ${limit}`
}
