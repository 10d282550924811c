import type { Db, Tx } from '../platform/postgres/database.ts'
import type { EnteredDay, EnteredDays } from './business-day.ts'
import type { ExternalAccount, NewExternalAccount } from './external-account.ts'
import type { NumberBox } from './number-box.ts'
import { type OrderOfWallet, SIMULATOR, walletOf } from './wallet-of.ts'

const columns = [
  ...[
    'livemode',
    'code',
    'kind',
    'connector',
    'directions',
    'orders_from',
    'number_end',
    'profile',
    'due',
    'late_days',
  ],
  ...['opened_on', 'created_by', 'created_at'],
]

// A date would become a moment of the machine's zone.
const selected = (db: Db) =>
  db`${db(columns.filter((column) => column !== 'opened_on'))}, to_char(opened_on, 'YYYY-MM-DD') as opened_on`

/** The accounts of one mode, or of both: wallets, then banks, then safeguarding, by code. */
export function readAccounts(db: Db, livemode: boolean | null): Promise<ExternalAccount[]> {
  return db<ExternalAccount[]>`
    select ${selected(db)}
      from external_accounts
     where ${livemode === null ? db`true` : db`livemode = ${livemode}`}
     order by livemode, array_position(array['wallet', 'bank', 'safeguarding'], kind), code`
}

/** The account with this code in one mode. Null if there is none. */
export async function readAccount(
  db: Db,
  { livemode, code }: Pick<ExternalAccount, 'livemode' | 'code'>,
): Promise<ExternalAccount | null> {
  const [row] = await db<ExternalAccount[]>`
    select ${selected(db)}
      from external_accounts
     where livemode = ${livemode} and code = ${code}`
  return row ?? null
}

/** The number of an account, opened. Null if there is no such account, or its number was not told. */
export async function readNumber(
  db: Db,
  box: NumberBox,
  { livemode, code }: Pick<ExternalAccount, 'livemode' | 'code'>,
): Promise<ReturnType<NumberBox['open']> | null> {
  const [row] = await db<{ number_sealed: Uint8Array | null }[]>`
    select number_sealed
      from external_accounts
     where livemode = ${livemode} and code = ${code}`
  return row?.number_sealed ? box.open({ livemode, code }, row.number_sealed) : null
}

/** The wallets of one connector, locked, so that two new ones at once do not take the same orders. None: no such connector. */
export async function lockWalletsOf(
  tx: Tx,
  { livemode, connector }: { livemode: boolean; connector: string },
): Promise<ExternalAccount[]> {
  await tx`
    select code
      from external_accounts
     where livemode = ${livemode} and connector = ${connector}
     order by code
       for update`
  // Read once locked, because the statement that waited for the lock does not see a wallet that was inserted meanwhile.
  return tx<ExternalAccount[]>`
    select ${selected(tx)}
      from external_accounts
     where livemode = ${livemode} and connector = ${connector}
     order by code`
}

/** An order, or one that begins now (null). */
type OrderOrNew = Omit<OrderOfWallet, 'created_at'> & { readonly created_at: Date | null }

/** The code of the external account in which an order's money is, for an act of people. @throws as `walletOf` */
export async function readWalletOf(db: Db, order: OrderOrNew): Promise<string> {
  const found = await findWalletOf(db, order)
  if (found === null) throw new Error(`The connector ${order.connector} has no wallet.`)
  return found
}

/** Like `readWalletOf`. Null when its connector has no wallet. */
export async function findWalletOf(db: Db, order: OrderOrNew): Promise<string | null> {
  const wallets = await db<(ExternalAccount & { now: Date })[]>`
    select ${selected(db)}, clock_now() as now
      from external_accounts
     where livemode = ${order.livemode} and connector = ${order.connector ?? SIMULATOR}
     order by code`
  const [first] = wallets
  return first === undefined ? null : walletOf(wallets, { ...order, created_at: order.created_at ?? first.now })
}

/** Opens the wallet of a connector under its name, unless it has one already. */
export async function openWallet(
  tx: Tx,
  { livemode, connector, by }: { livemode: boolean; connector: string; by: string },
): Promise<void> {
  await tx`select open_wallet(${livemode}, ${connector}, ${by})`
}

/** Inserts an account. @param wait_seconds until its orders begin, so that every process knows it by then */
export async function insertAccount(tx: Tx, account: NewExternalAccount, wait_seconds: number): Promise<void> {
  const { livemode, code, kind, connector, directions, number, profile, due, late_days, created_by } = account
  await tx`
    insert into external_accounts (livemode, code, kind, connector, directions, orders_from, number_sealed, number_end,
                                   profile, due, late_days, created_by)
    values (${livemode}, ${code}, ${kind}, ${connector}, ${[...directions]}::text[],
            date_trunc('milliseconds', clock_now() + make_interval(secs => ${wait_seconds})),
            ${number?.sealed ?? null}, ${number?.end ?? null}, ${profile}, ${due}, ${late_days}, ${created_by})`
}

/** The days of a period that people entered, both ends included. */
export async function readEnteredDays(db: Db, { from, to }: { from: string; to: string }): Promise<EnteredDays> {
  const rows = await db<EnteredDay[]>`
    select to_char(day, 'YYYY-MM-DD') as day, business, name
      from calendar_days
     where day between ${from}::date and ${to}::date
     order by day`
  return new Map(rows.map((row) => [row.day, row]))
}

/** Reads an entered day and locks it until the transaction ends. Null if it is as the calendar has it. */
export async function lockEnteredDay(tx: Tx, day: string): Promise<EnteredDay | null> {
  const [row] = await tx<EnteredDay[]>`
    select to_char(day, 'YYYY-MM-DD') as day, business, name
      from calendar_days
     where day = ${day}::date
       for update`
  return row ?? null
}

export async function putDay(tx: Tx, { day, business, name, by }: EnteredDay & { by: string }): Promise<void> {
  await tx`
    insert into calendar_days (day, business, name, changed_by)
    values (${day}::date, ${business}, ${name}, ${by})
    on conflict (day)
    do update set business = excluded.business, name = excluded.name, changed_by = excluded.changed_by, changed_at = excluded.changed_at`
}
