import { BANK } from '../external-accounts/external-account.ts'
import { findWalletOf, readAccount } from '../external-accounts/store.ts'
import { SIMULATOR } from '../external-accounts/wallet-of.ts'
import { heldIn } from '../ledger/accounts.ts'
import { EVERYBODY, readRoutes } from '../operators/contracts/route-store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { isOperatorCode, type OperatorCode } from '../values/operators.ts'

/**
 * Returns the ledger account that a person names as the other side of an adjustment: `fees`, an external account by its code, or an operator for the
 * wallet that a collection of the merchant goes to now. Null when there is none.
 */
export async function findCounterpart(db: Db, tenant: Tenant, named: string, now: Date): Promise<string | null> {
  if (named === 'fees') return named
  const { livemode } = tenant
  if (named === BANK || (await readAccount(db, { livemode, code: named })) !== null) return heldIn(named)
  const wallet = isOperatorCode(named) ? await walletOfOperator(db, tenant, named, now) : null
  return wallet === null ? null : heldIn(wallet)
}

async function walletOfOperator(
  db: Db,
  { merchant_id, livemode }: Tenant,
  operator: OperatorCode,
  created_at: Date,
): Promise<string | null> {
  const routes = (await readRoutes(db, livemode)).filter(
    (route) => route.operator === operator && route.direction === 'collect',
  )
  const route = [merchant_id, EVERYBODY].flatMap((of) => routes.find((one) => one.merchant_id === of) ?? [])[0]
  const connector = route?.connectors[0] ?? (livemode ? null : SIMULATOR)
  return connector === null ? null : findWalletOf(db, { livemode, connector, direction: 'collect', created_at })
}
