import type { NumberBox } from '../../external-accounts/number-box.ts'
import { readAccount, readAccounts, readNumber } from '../../external-accounts/store.ts'
import { takeAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { CarriedBy } from '../matching/match-lines.ts'
import type { AccountKey, StatementAccount } from './statement-file.ts'

/** Finds the account of statements, with its number opened. Null: there is none. */
export async function findAccount(
  db: Db,
  box: NumberBox,
  { livemode, account }: AccountKey,
): Promise<StatementAccount | null> {
  const found = await readAccount(db, { livemode, code: account })
  if (found === null) return null
  const { kind, connector, profile } = found
  const number = await readNumber(db, box, { livemode, code: account })
  return { livemode, account, kind, connector, profile, number: number?.reveal() ?? null }
}

/** Waits for the imports and closings of the account that run, and holds back the next ones until the transaction ends. */
export async function lockAccount(tx: Tx, box: NumberBox, key: AccountKey): Promise<StatementAccount | null> {
  await lockStatements(tx, key)
  return findAccount(tx, box, key)
}

/** As `lockAccount`, for an account that is there. */
export async function lockStatements(tx: Tx, { livemode, account }: AccountKey): Promise<void> {
  await takeAdvisoryLock(tx, `statements of ${livemode ? 'live' : 'test'} ${account}`)
}

/** The wallets of a mode, which decide the orders that each account carries. */
export function readCarried(db: Db, livemode: boolean): Promise<CarriedBy> {
  return readAccounts(db, livemode)
}
