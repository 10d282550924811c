import { recordAct } from '../../audit-log/record-act.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Secret } from '../../values/secret.ts'
import * as store from '../store.ts'
import { createSecretBox, newEndpointSecret } from './endpoint.ts'

export type RotateSecretResult =
  | { readonly kind: 'rotated'; readonly secret: Secret }
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' }

/**
 * Gives an endpoint a new secret, which is returned only here. For 24 hours the old secret signs too, in a second header, so that the
 * merchant has time to change its receiver. A second rotation within that time drops the oldest secret.
 * @param by the person who rotates it, for the audit log
 */
export async function rotateSecret(
  { sql, secretKey }: { sql: Sql; secretKey: Secret },
  { merchant_id, livemode }: Tenant,
  endpoint_id: string,
  by: Actor = SYSTEM,
): Promise<RotateSecretResult> {
  const endpoint = { merchant_id, livemode, endpoint_id }
  const secret = newEndpointSecret()
  const sealed = createSecretBox(secretKey).seal(endpoint, secret)
  return sql.begin(async (tx) => {
    if (!(await store.replaceSecret(tx, endpoint, sealed))) return { kind: 'refused', code: 'resource_not_found' }
    recordAct(tx, endpoint, { actor: by, act: 'endpoint.rotate_secret', subject: endpoint_id })
    return { kind: 'rotated', secret }
  })
}
