import { createHmac } from 'node:crypto'
import { derivedKey } from '../../platform/config.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Msisdn } from '../../values/msisdn.ts'
import type { Secret } from '../../values/secret.ts'

/** The name under which a number is stored. Finding it takes both the number and the key. */
export type NumberHash = (tenant: Tenant, msisdn: Msisdn) => string

/**
 * Hashes numbers under a key derived from SECRET_KEY. There are only some hundred million numbers, so a hash without a
 * key could be reversed by trying them all. In live mode all merchants share a number's hash. In test mode each
 * merchant has its own, because the simulator believes any claim, and one merchant's tests are no facts for another.
 * Returns 64 hexadecimal digits.
 */
export function createNumberHash(secretKey: Secret): NumberHash {
  const key = derivedKey(secretKey, 'operators of numbers')
  return ({ merchant_id, livemode }, { e164 }) =>
    createHmac('sha256', key)
      .update(`${livemode ? 'live' : merchant_id}\0${e164}`)
      .digest('hex')
}
