import { randomBytes } from 'node:crypto'
import { derivedKey } from '../../platform/config.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import type { Tenant } from '../../values/caller.ts'
import { base32Bytes } from '../../values/ids.ts'
import { Secret } from '../../values/secret.ts'

/** Names one endpoint. A value of this type may have further fields. */
export type EndpointKey = Tenant & { readonly endpoint_id: string }

/** Endpoints of one merchant in one mode at most: every event is written once for each. */
export const ENDPOINTS_MAX = 16

/** For how long after a rotation the old secret signs as well. */
export const PREVIOUS_SECRET_HOURS = 24

/** The only fields of a key, so that a row handed on as one takes nothing else along. */
export function endpointKey({ merchant_id, livemode, endpoint_id }: EndpointKey): EndpointKey {
  return { merchant_id, livemode, endpoint_id }
}

/** A new secret of 256 random bits. The merchant uses the whole text as the key of its HMAC. */
export function newEndpointSecret(): Secret {
  return new Secret(`whsec_${base32Bytes(randomBytes(32))}`)
}

/** Seals and opens the secrets of endpoints under SECRET_KEY, each bound to its endpoint. */
export type SecretBox = {
  seal(endpoint: EndpointKey, secret: Secret): Buffer
  /** @throws when SECRET_KEY is another one than at sealing, or the bytes are another endpoint's */
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
