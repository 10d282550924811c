import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createKey } from '../../src/api-keys/create-key.ts'
import { openAccounts } from '../../src/ledger/open-accounts.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import { setFees } from '../../src/merchants/set-fees.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { createEndpoint } from '../../src/webhooks/create-endpoint.ts'
import { Secret } from '../../src/words/secret.ts'
import { databaseSettings } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { type Service, startService } from '../harness/start-service.ts'

const program = fileURLToPath(new URL('../../bin/bandama', import.meta.url))
const execute = promisify(execFile)

/** One installation of the service: its processes share a database and a secret key, and keep their port for life. */
export type Installation = {
  /** Where the API is, whenever one runs. */
  address: string
  secret_key: string
  /** Starts a process of it. @param args as `startService` takes them, such as `--only worker` @param env over its settings */
  start(args?: string[], env?: Record<string, string>): Promise<Service>
  /** Runs a command beside it and returns what `--json` prints. @throws when it fails */
  bandama(...words: string[]): Promise<Record<string, unknown>>
}

/** Limits far away, because these tests are about faults, and an operator that answers at once. */
export const SETTINGS = {
  RATE_PER_KEY: '1000000',
  RATE_PER_ADDRESS: '1000000',
  PAYER_ATTEMPTS_MAX: '1000000',
  SIMULATOR_DELAY_MS: '50',
  EGRESS_ALLOW: '127.0.0.0/8',
  DEMO: 'off',
}

/** @param url of its database; null: the embedded one, for which `env` names a DATA_DIR */
export async function openInstallation(url: string | null, env: Record<string, string> = {}): Promise<Installation> {
  // Kept for life: a service must come back where it was.
  const port = await freePort()
  const secret_key = randomBytes(32).toString('base64url')
  const settings = { ...SETTINGS, SECRET_KEY: secret_key, ...env }
  return {
    address: `http://127.0.0.1:${port}`,
    secret_key,
    start: (args = [], more = {}) => startService({ url, args, env: { ...settings, PORT: String(port), ...more } }),
    async bandama(...words) {
      const { PATH = '', HOME = '' } = process.env
      const database = url === null ? {} : databaseSettings(url)
      const { stdout } = await execute(program, [...words, '--json'], { env: { PATH, HOME, ...database, ...settings } })
      return JSON.parse(stdout)
    },
  }
}

export type Merchant = {
  merchant_id: number
  livemode: false
  key: string
  /** Null without a receiver. */
  webhook_secret: string | null
}

/** A merchant in test mode, with a commission of 1 % and a key to collect with; told of events at `receiver`. */
export async function newMerchant(sql: Sql, secret_key: string, receiver: string | null): Promise<Merchant> {
  const merchant_id = await createMerchant(sql, { name: 'Boutique', openAccounts })
  const tenant = { merchant_id, livemode: false as const }
  const { key } = await createKey(sql, tenant, { key_prefix: 'bdm', scope: 'collect' })
  const commission = { basis_points: 100, fixed: 0, minimum: 0, maximum: null, bearer: 'merchant' as const }
  await setFees(sql, { merchant_id, service: 'collection', ...commission, effective_from: null })
  const webhook_secret = receiver === null ? null : await newEndpoint(sql, secret_key, tenant, receiver)
  return { ...tenant, key: key.reveal(), webhook_secret }
}

async function newEndpoint(
  sql: Sql,
  secret_key: string,
  tenant: { merchant_id: number; livemode: boolean },
  url: string,
): Promise<string> {
  const egress = createEgress({ allow: ['127.0.0.0/8'] })
  try {
    const deps = { sql, egress, secretKey: new Secret(secret_key), clock: createClock() }
    const endpoint = await createEndpoint(deps, tenant, { url, event_types: [], test: false })
    if (endpoint.kind === 'refused') throw new Error(`The endpoint was refused: ${endpoint.code}.`)
    return endpoint.secret.reveal()
  } finally {
    await egress.close()
  }
}
