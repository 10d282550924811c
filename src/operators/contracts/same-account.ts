import type { Tx } from '../../platform/postgres/database.ts'
import type { Settings } from './connector-settings.ts'
import * as store from './connector-store.ts'
import type { ConnectorType } from './connector-type.ts'
import type { Surroundings } from './open-connector.ts'

/**
 * Finds another connector of the mode, removed or not, that reaches an account of these settings. Null if there is none. Two names for one
 * account would receive each other's callbacks and count its money twice. An account that the connector already has may stay.
 * @param own settings without their terms
 */
export async function findSameAccount(
  tx: Tx,
  { box }: Surroundings,
  { type, name, livemode }: { type: ConnectorType; name: string; livemode: boolean },
  own: Settings,
): Promise<store.ConnectorRow | null> {
  const rows = (await store.readConnectors(tx)).filter((row) => row.type === type.type && row.livemode === livemode)
  const current = (await store.readSettings(tx, null)).filter(({ replaced }) => !replaced)
  const accountsOf = (connector: string): string[] =>
    current.filter((row) => row.connector === connector).flatMap((row) => accountsIn(type, () => box.openSettings(row)))
  const has = accountsOf(name)
  const isNew = new Set(accountsIn(type, () => own).filter((account) => !has.includes(account)))
  return rows.find((row) => row.name !== name && accountsOf(row.name).some((account) => isNew.has(account))) ?? null
}

/** The accounts of stored settings. None if they cannot be opened here, because no call can use them either. */
export function accountsIn(type: ConnectorType, open: () => Settings): string[] {
  try {
    const settings = open()
    const { origin, pathname } = new URL(String(settings.base_url))
    return type.accounts(settings as never).map((account) => `${origin}${pathname.replace(/\/+$/, '')} ${account}`)
  } catch {
    return []
  }
}
