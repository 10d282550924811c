import type { Db, Tx } from '../platform/postgres/database.ts'

/** From when on an external account is compared with its statements. Amounts in francs, the day as text. */
export type Opening = {
  readonly livemode: boolean
  readonly account: string
  readonly day: string
  readonly balance: number
  readonly unexplained: number
  readonly proposal_id: string
}

/** The opening of an account. Null while it has none. */
export async function readOpening(db: Db, livemode: boolean, account: string): Promise<Opening | null> {
  const [row] = await db<Opening[]>`
    select livemode, account, to_char(day, 'YYYY-MM-DD') as day, balance, unexplained, proposal_id
      from account_openings
     where livemode = ${livemode} and account = ${account}`
  return row ?? null
}

/** Inserts an opening. Its key refuses a second one. */
export async function insertOpening(tx: Tx, opening: Opening): Promise<void> {
  const { livemode, account, day, balance, unexplained, proposal_id } = opening
  await tx`
    insert into account_openings (livemode, account, day, balance, unexplained, proposal_id)
    values (${livemode}, ${account}, ${day}::date, ${balance}, ${unexplained}, ${proposal_id})`
}
