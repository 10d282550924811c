import { type ActCall, isWithin, row, type Target } from '../../acts/act.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import type { Words } from '../../values/language.ts'
import * as store from '../store.ts'
import { type EndpointKey, endpointKey } from './endpoint.ts'
import type { EndpointStatus } from './states.ts'

/** An endpoint, whose commands name its merchant and mode. */
export const endpoint = row('whe', 'endpoint', { option: 'endpoint', place: 'named' })

/** Why a disabled endpoint is sent nothing. */
export const ENDPOINT_STOPPED: Words = [
  'Cette adresse est arrêtée : reprenez d’abord.',
  'This endpoint is stopped: start it again first.',
]

/** An endpoint that an act has locked. */
export type LockedEndpoint = {
  readonly about: Tenant
  readonly key: EndpointKey
  readonly url: string
  readonly status: EndpointStatus
}

/** Locks an endpoint for an act. Null: there is none in the place of the call. */
export async function loadEndpoint(
  tx: Tx,
  { id, within }: Pick<ActCall<{ kind: 'row' } & Target>, 'id' | 'within'>,
): Promise<LockedEndpoint | null> {
  const found = await store.findEndpoint(tx, id)
  if (found === null || !isWithin(found, within)) return null
  const key = endpointKey(found)
  const locked = await store.lockEndpoint(tx, key)
  return locked && { about: tenantOf(key), key, ...locked }
}
