import type { Db, Tx } from '../platform/postgres/database.ts'

type NewAct = {
  merchant_id: number
  livemode: boolean | null
  actor: string
  door: string
  act: string
  subject: string | null
  before: object | null
  after: object | null
}

export type StoredAct = NewAct & { id: string; at: Date }

/** One line, which nobody waits for: it travels with what follows, at the latest with the commit. */
export function insertAct(tx: Tx, { before, after, ...line }: NewAct): void {
  tx.send(tx`
    insert into audit_log (merchant_id, livemode, actor, door, act, subject, before, after)
    values (${line.merchant_id}, ${line.livemode}, ${line.actor}, ${line.door}, ${line.act}, ${line.subject},
            ${before === null ? null : tx.json(before)}, ${after === null ? null : tx.json(after)})`)
}

/** The newest lines; of one merchant they stand together in the primary key, of all in an index by time. */
export async function readActs(db: Db, merchant_id: number | null, limit: number): Promise<StoredAct[]> {
  return db<StoredAct[]>`
    select at, actor, door, act, merchant_id, livemode, subject, before, after, id
      from audit_log
     where ${merchant_id === null ? db`true` : db`merchant_id = ${merchant_id}`}
     order by at desc, id desc
     limit ${limit}`
}
