import { createPushDevices } from '../people/push/devices.ts'
import { derivedKey } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Secret } from '../values/secret.ts'

/** Makes the devices of people, for the console and for the worker. */
export function createPush({ sql, secretKey, egress }: { sql: Sql; secretKey: Secret; egress: Egress }) {
  return createPushDevices({ sql, key: derivedKey(secretKey, 'push devices'), vet: egress.vet })
}
