import { parseAddressBlocks } from '../../src/api-keys/address-blocks.ts'
import { activateMerchant, deactivateMerchant } from '../../src/merchants/set-active.ts'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Scope, Tenant } from '../../src/values/caller.ts'
import { Secret } from '../../src/values/secret.ts'
import { createMerchant } from './create-merchant.ts'
import { createEndpoint } from './endpoints.ts'
import { setFees } from './fees.ts'
import { depositToTransfer } from './fill-transfer.ts'
import { createKey } from './keys.ts'
import { livemode, mode } from './mode.ts'
import { perform } from './perform.ts'

export type Mode = 'test' | 'live'

export type Merchant = {
  merchant_id: number
  /** Makes a key of this merchant. @param allow the allowed IP addresses; none: any */
  newKey(mode: Mode, scope: Scope, allow?: string[]): Promise<{ key_id: string; key: string }>
  /** Its first key with the scope `collect`, in the mode of the tests. */
  key: string
}

/** The options of a test's merchant. Money, caps and the endpoint are in the mode of the tests. */
export type MerchantOptions = {
  name?: string
  /** The fee of each payment, in hundredths of a percent. */
  commission?: number
  /** The fee of each payout, in francs. */
  payout_fee?: number
  caps?: { operation: number; day: number }
  /** The transfer balance, in francs. */
  funds?: number
  /** The URL of an endpoint for all events. */
  endpoint?: Endpoint
}

/** The URL for events, and the service's secret key, which encrypts the endpoint's secret. */
export type Endpoint = { url: string; secret_key: string }

/** Makes a merchant as staff do, without the command line. */
export async function newMerchant(sql: Sql, options: MerchantOptions = {}): Promise<Merchant> {
  const { name = 'Boutique', commission, payout_fee, caps, funds, endpoint } = options
  const merchant_id = await createMerchant(sql, name)
  const none = {
    basis_points: 0,
    fixed: 0,
    minimum: 0,
    maximum: null,
    bearer: 'merchant',
    effective_from: null,
  } as const
  if (commission !== undefined) {
    await setFees(sql, { ...none, merchant_id, service: 'collection', basis_points: commission })
  }
  if (payout_fee !== undefined) await setFees(sql, { ...none, merchant_id, service: 'payout', fixed: payout_fee })
  if (caps !== undefined) await setCaps(sql, { merchant_id, livemode }, caps)
  if (funds !== undefined) await addFunds(sql, { merchant_id, livemode }, funds)
  if (endpoint !== undefined) await addEndpoint(sql, { merchant_id }, endpoint)
  const newKey: Merchant['newKey'] = async (mode, scope, allow = []) => {
    const tenant = { merchant_id, livemode: mode === 'live' }
    const allowed_addresses = parseAddressBlocks(allow)!
    const { key_id, key } = await createKey(sql, tenant, { key_prefix: 'bdm', scope, allowed_addresses })
    return { key_id, key: key.reveal() }
  }
  return { merchant_id, newKey, key: (await newKey(mode, 'collect')).key }
}

/** Deposits francs to the transfer balance. */
export async function addFunds(sql: Sql, { merchant_id, livemode }: Tenant, amount: number): Promise<void> {
  if (amount > 0) await depositToTransfer(sql, { merchant_id, livemode }, amount, createClock())
}

/** Creates an endpoint for all events of a merchant in the mode of the tests. Returns its secret. */
export async function addEndpoint(
  sql: Sql,
  { merchant_id }: { merchant_id: number },
  { url, secret_key }: Endpoint,
): Promise<string> {
  const egress = createEgress({ allow: ['127.0.0.0/8'], loopback_http: livemode })
  try {
    const deps = { sql, egress, secretKey: new Secret(secret_key), clock: createClock() }
    const asked = { url, event_types: [], test: false }
    const endpoint = await createEndpoint(deps, { merchant_id, livemode }, asked)
    if (endpoint.kind === 'refused') throw new Error(`The endpoint was refused: ${endpoint.code}.`)
    return endpoint.secret.reveal()
  } finally {
    await egress.close()
  }
}

/** Lets a merchant operate, or only read. */
export async function setActive(sql: Sql, merchant_id: number, active: boolean) {
  const act = active ? activateMerchant : deactivateMerchant
  const outcome = await perform(act, { sql, clock: createClock() }, { merchant_id })
  return outcome.kind === 'done' ? ({ kind: 'changed' } as const) : outcome
}
