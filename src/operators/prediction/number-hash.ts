import { createHmac } from 'node:crypto'
import { derivedKey } from '../../platform/config.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Msisdn } from '../../values/msisdn.ts'
import type { Secret } from '../../values/secret.ts'

/** The name under which a number is kept: it is found again by whoever has the key and the number, and by nobody else. */
export type NumberHash = (tenant: Tenant, msisdn: Msisdn) => string

/**
 * Hashes numbers under a key of their own, made of SECRET_KEY: there are only some hundred million numbers, so that a hash without a key
 * could be tried out. In live mode all merchants share a number's hash. In test mode it is the merchant's own: the simulator believes
 * whatever it is asked, and one merchant's tests are no facts for another. 64 hexadecimal letters.
 */
export function createNumberHash(secretKey: Secret): NumberHash {
  const key = derivedKey(secretKey, 'operators of numbers')
  return ({ merchant_id, livemode }, { e164 }) =>
    createHmac('sha256', key)
      .update(`${livemode ? 'live' : merchant_id}\0${e164}`)
      .digest('hex')
}
