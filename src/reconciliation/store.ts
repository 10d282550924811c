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

/** A line of a bank's file that confirmed a deposit. Amount in francs. */
export type DepositLine = {
  readonly livemode: boolean
  readonly line_id: string
  readonly line_month: string
  readonly account: string
  readonly file_id: string
  readonly reference: string
  readonly amount: number
  readonly imported_by: string
  readonly proposal_id: string
  readonly deposit_id: string
}

/** Inserts the line of a deposit. Its keys refuse a second deposit of a line, and a second line of a proposal. */
export async function insertDepositLine(tx: Tx, line: DepositLine): Promise<void> {
  await tx`
    insert into deposit_lines
      (livemode, line_id, line_month, account, file_id, reference, amount, imported_by, proposal_id, deposit_id)
    values (${line.livemode}, ${line.line_id}, ${line.line_month}::date, ${line.account}, ${line.file_id}, ${line.reference},
            ${line.amount}, ${line.imported_by}, ${line.proposal_id}, ${line.deposit_id})`
}

/** The ids of those lines that have confirmed a deposit. */
export async function readUsedLines(
  db: Db,
  livemode: boolean,
  lines: readonly { readonly id: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await db<{ line_id: string }[]>`
    select line_id
      from deposit_lines
     where livemode = ${livemode} and line_id = any(${lines.map(({ id }) => id)}::text[])`
  return new Set(rows.map(({ line_id }) => line_id))
}

/** Whether a line of this file has confirmed a deposit. */
export async function servesDeposit(db: Db, file_id: string): Promise<boolean> {
  const rows = await db`
    select
      from deposit_lines
     where file_id = ${file_id}
     limit 1`
  return rows.length > 0
}
