import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Egress } from '../../src/platform/egress/post.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Tenant } from '../../src/values/caller.ts'
import type { Secret } from '../../src/values/secret.ts'
import * as creation from '../../src/webhooks/endpoints/create-endpoint.ts'
import { perform } from './perform.ts'

type Deps = { sql: Sql; clock: Clock; secretKey: Secret; egress: Egress }
type NewEndpoint = { url: string; event_types: readonly string[]; test?: boolean }

/** Creates an endpoint. `test`: whether an `endpoint.test` is sent at once; absent: yes. */
export async function createEndpoint(
  { sql, clock, secretKey, egress }: Deps,
  tenant: Tenant,
  { url, event_types, test = true }: NewEndpoint,
): Promise<({ kind: 'created' } & creation.EndpointCreated) | ActRefused> {
  const target = await egress.vet(url, tenant.livemode)
  const types = creation.createEndpoint.fields.types.read(event_types.join(' '))
  assert.ok(types !== undefined, `no such types of events: ${event_types}`)
  const made = await perform(
    creation.createEndpoint,
    { sql, clock, secretKey, target, test },
    { tenant, values: { url, types } },
  )
  assert.ok(made.kind !== 'ask_again')
  return made.kind === 'refused' ? made : { kind: 'created', ...made.result }
}
