import type { ExternalAccount } from '../../external-accounts/external-account.ts'
import type { NumberBox } from '../../external-accounts/number-box.ts'
import { readAccount, readAccounts, readNumber } from '../../external-accounts/store.ts'
import { takeAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Carried, CarriedBy } from '../matching/match-lines.ts'
import type { AccountKey, StatementAccount } from './statement-file.ts'

const directions = ['collect', 'payout', 'refund'] as const

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
  await takeAdvisoryLock(tx, `statements of ${key.livemode ? 'live' : 'test'} ${key.account}`)
  return findAccount(tx, box, key)
}

/** The orders that each account of a mode carries. */
export async function readCarried(db: Db, livemode: boolean): Promise<CarriedBy> {
  return carriedBy(await readAccounts(db, livemode))
}

/** A wallet without directions carries those that no other wallet of its connector names. */
export function carriedBy(accounts: readonly ExternalAccount[]): CarriedBy {
  return new Map(
    accounts.map(({ code, connector, directions: its }): [string, Carried] => {
      const others = accounts.filter((other) => other.connector === connector && other.code !== code)
      const named = others.flatMap((other) => other.directions)
      const rest = directions.filter((one) => !named.includes(one))
      return [code, { connector, directions: its.length > 0 ? its : rest }]
    }),
  )
}
