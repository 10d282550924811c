import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAddressBlocks } from '../../src/api-keys/address-blocks.ts'
import { createKey } from '../../src/api-keys/create-key.ts'
import { openAccounts } from '../../src/ledger/open-accounts.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import type { Scope } from '../../src/words/caller.ts'
import { databaseSettings, openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/start-service.ts'
import { type Answer, type Asked, ask } from './ask.ts'

const program = fileURLToPath(new URL('../../bin/bandama', import.meta.url))
const execute = promisify(execFile)

export type Mode = 'test' | 'live'

export type Merchant = {
  merchant_id: number
  /** A new key of this merchant. @param allow addresses it may be used from; none: any */
  newKey(mode: Mode, scope: Scope, allow?: string[]): Promise<{ key_id: string; key: string }>
  /** Its first test key that collects. */
  key: string
}

/** The real service, in processes of its own on a database of its own. */
export type Installation = {
  db: TestDatabase
  services: Service[]
  /** Calls the first process, or another one. */
  ask(asked: Asked, process?: number): Promise<Answer>
  /** `POST /v1-payments` with a new idempotency key. */
  pay(key: string, body: unknown, more?: Partial<Asked>): Promise<Answer>
  /** `GET /v1-payments/<id>`. */
  read(key: string, payment_id: string, process?: number): Promise<Answer>
  newMerchant(): Promise<Merchant>
  /** Starts one more process on the same database with the same secret key. */
  start(options?: { env?: Record<string, string>; args?: string[] }): Promise<Service>
  /** Runs `bin/bandama <words> --json` and returns the object it printed. @throws when it fails or prints anything else */
  bandama(...words: string[]): Promise<Record<string, unknown>>
  [Symbol.asyncDispose](): Promise<void>
}

/** Limits far away, for tests that are not about them, and a simulator that does not keep us waiting. */
const settings = {
  SIMULATOR_DELAY_MS: '50',
  RATE_PER_KEY: '1000000',
  RATE_PER_ADDRESS: '1000000',
  PAYER_ATTEMPTS_MAX: '1000000',
  PAGE_ATTEMPTS_PER_ADDRESS: '1000000',
  PAGE_GUESSES_PER_ADDRESS: '1000000',
  // Who calls is read from X-Forwarded-For, so that a test can be many people.
  TRUST_PROXY: '127.0.0.0/8',
}

/**
 * Opens a database and starts the service on it, once for each member of `processes`, with its words after `serve`.
 * @param env settings over those of the rig
 */
export async function openInstallation({
  env = {},
  processes = [[]],
}: {
  env?: Record<string, string>
  processes?: string[][]
} = {}): Promise<Installation> {
  const db = await openTestDatabase()
  const SECRET_KEY = randomBytes(32).toString('base64url')
  const started: Service[] = []
  const start: Installation['start'] = async (options = {}) => {
    const service = await startService({
      url: db.url,
      env: { ...settings, ...env, SECRET_KEY, ...options.env },
      args: options.args ?? [],
    })
    started.push(service)
    return service
  }
  const end = async () => {
    await Promise.all(started.map((service) => service[Symbol.asyncDispose]()))
    await db[Symbol.asyncDispose]()
  }
  try {
    const services: Service[] = []
    // One after the other: on two cores, two that start at once are no faster.
    for (const args of processes) services.push(await start({ args }))
    return {
      db,
      services,
      start,
      ask: (asked, process = 0) => ask(services[process]!.address, asked),
      pay: (key, body, more = {}) => ask(services[0]!.address, payment(key, body, more)),
      read: (key, payment_id, process = 0) =>
        ask(services[process]!.address, { path: `/v1-payments/${payment_id}`, key }),
      newMerchant: () => newMerchant(db),
      bandama: (...words) => bandama(words, { ...databaseSettings(db.url), SECRET_KEY, EGRESS_ALLOW: '127.0.0.0/8' }),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** The request that asks for a payment, with an idempotency key of its own. */
export function payment(key: string, body: unknown, more: Partial<Asked> = {}): Asked {
  return { method: 'POST', path: '/v1-payments', key, idempotency_key: randomUUID(), body, ...more }
}

async function newMerchant({ sql }: TestDatabase): Promise<Merchant> {
  const merchant_id = await createMerchant(sql, { name: 'Boutique', openAccounts })
  const newKey: Merchant['newKey'] = async (mode, scope, allow = []) => {
    const tenant = { merchant_id, livemode: mode === 'live' }
    const allowed_addresses = parseAddressBlocks(allow)!
    const { key_id, key } = await createKey(sql, tenant, { key_prefix: 'bdm', scope, allowed_addresses })
    return { key_id, key: key.reveal() }
  }
  return { merchant_id, newKey, key: (await newKey('test', 'collect')).key }
}

async function bandama(words: string[], env: Record<string, string>): Promise<Record<string, unknown>> {
  const { PATH, HOME } = process.env
  const { stdout } = await execute(program, [...words, '--json'], { env: { PATH, HOME, ...env }, timeout: 30_000 })
  return JSON.parse(stdout) as Record<string, unknown>
}

let payers = 0

/** A telephone number that no test has used, of a payer who pays. Its file's process counts up. */
export function newPayer(): string {
  payers += 1
  return `07${String(payers).padStart(4, '0')}0000`
}

/** An address that nobody has called from yet, one of 16 million. */
export function newAddress(): string {
  const bytes = randomBytes(3)
  return `10.${bytes[0]}.${bytes[1]}.${bytes[2]}`
}
