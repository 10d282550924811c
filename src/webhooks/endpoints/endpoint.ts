import { randomBytes } from 'node:crypto'
import { derivedKey } from '../../platform/config.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import type { Tenant } from '../../values/caller.ts'
import { base32Bytes } from '../../values/ids.ts'
import { Secret } from '../../values/secret.ts'

/** The key of one endpoint. A value of this type may have further fields. */
export type EndpointKey = Tenant & { readonly endpoint_id: string }

/** The most endpoints of one merchant in one mode, because every event is written once for each. */
export const ENDPOINTS_MAX = 16

/** Hours after a rotation in which the old secret signs too. */
export const PREVIOUS_SECRET_HOURS = 24

/** Returns only the fields of the key, without those of a row. */
export function endpointKey({ merchant_id, livemode, endpoint_id }: EndpointKey): EndpointKey {
  return { merchant_id, livemode, endpoint_id }
}

/** A new secret of 256 random bits. The merchant uses the whole text as the key of its HMAC. */
export function newEndpointSecret(): Secret {
  return new Secret(`whsec_${base32Bytes(randomBytes(32))}`)
}

/** Seals and opens the secrets of endpoints with SECRET_KEY. Each is bound to its endpoint. */
export type SecretBox = {
  seal(endpoint: EndpointKey, secret: Secret): Buffer
  /** @throws when the secret was sealed with another SECRET_KEY, or for another endpoint */
  open(endpoint: EndpointKey, sealed: Uint8Array): Secret
}

export function createSecretBox(secretKey: Secret): SecretBox {
  const key = derivedKey(secretKey, 'webhook secrets')
  const place = ({ merchant_id, livemode, endpoint_id }: EndpointKey) =>
    `${merchant_id}/${livemode ? 'live' : 'test'}/${endpoint_id}`
  return {
    seal: (endpoint, secret) => seal(key, secret.reveal(), place(endpoint)),
    open: (endpoint, sealed) => new Secret(unseal(key, sealed, place(endpoint))),
  }
}
