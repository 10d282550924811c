import { randomBytes, randomUUID } from 'node:crypto'
import { after } from 'node:test'
import type { RunningTwin } from '../../src/twin/start-twin.ts'
import { type Answer, type Asked, ask } from '../contract/ask.ts'
import { borrowStand, nextRank } from './borrow-stand.ts'
import { runInProcess } from './command-line.ts'
import { databaseSettings, openPool, openTestDatabase, type TestDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { patient } from './hold.ts'
import { type Merchant, newMerchant } from './merchant.ts'
import { livemode } from './mode.ts'
import { type Service, type ServiceOptions, startService } from './start-service.ts'
import { bodyInMode, openTwin } from './twin-as-operator.ts'

/** Processes of one service: they share a database and a secret key. */
export type Processes = {
  secret_key: string
  /** Starts another process. @param args the words after `serve` @param env settings that override those of the rig and the installation */
  start(options?: Pick<ServiceOptions, 'env' | 'args' | 'onOutput'>): Promise<Service>
  /** Runs `bandama <words> --json` in this process, and returns the printed object. @throws RefusedCommand */
  bandama(...words: string[]): Promise<Record<string, unknown>>
}

/** Processes that their test starts and ends. Their API always has the same address, also after a restart. */
export type KeptInstallation = Processes & { address: string }

/** The real service, in separate processes on its own database. */
export type Installation = Processes & {
  db: TestDatabase
  services: Service[]
  /** The operators of live mode. Null in test mode, which has the simulator. */
  twin: RunningTwin | null
  /** Calls the first process, or another. */
  ask(asked: Asked, process?: number): Promise<Answer>
  /** Calls `POST /v1-payments` with a new idempotency key. */
  pay(key: string, body: unknown, more?: Partial<Asked>): Promise<Answer>
  /** Calls `GET /v1-payments/<id>`. */
  read(key: string, payment_id: string, process?: number): Promise<Answer>
  newMerchant(): Promise<Merchant>
  [Symbol.asyncDispose](): Promise<void>
}

/** The settings of tests: high limits, for tests that are not about them, and a fast simulator. */
export const SETTINGS = {
  SIMULATOR_DELAY_MS: '50',
  RATE_PER_KEY: '1000000',
  RATE_PER_ADDRESS: '1000000',
  PAYER_ATTEMPTS_MAX: '1000000',
  RECIPIENT_CHECKS_PER_MERCHANT: '1000000',
  PAGE_ATTEMPTS_PER_ADDRESS: '1000000',
  SIGN_INS_PER_ADDRESS: '1000000',
  PAGE_GUESSES_PER_ADDRESS: '1000000',
  // The service reads the caller's address from X-Forwarded-For, so that a test can act as many people.
  TRUST_PROXY: '127.0.0.0/8',
}

/** The length of one second of the operator, in seconds. */
const secondOf = (env: Record<string, string>) => Number(env.SIMULATOR_DELAY_MS ?? SETTINGS.SIMULATOR_DELAY_MS) / 1_000

/** Returns processes of one service with the settings of tests. @param url the URL of the database; null: the embedded one, in the DATA_DIR of `env` */
export function processesOn(
  url: string | null,
  env: Record<string, string> = {},
  secret_key = randomBytes(32).toString('base64url'),
): Processes {
  const settings = { ...SETTINGS, ...env, SECRET_KEY: secret_key }
  return {
    secret_key,
    start: ({ env: more = {}, ...options } = {}) => startService({ ...options, url, env: { ...settings, ...more } }),
    async bandama(...words) {
      const { PATH, HOME } = process.env
      const database = url === null ? {} : databaseSettings(url)
      const known = {
        PATH,
        HOME,
        ...database,
        EGRESS_ALLOW: '127.0.0.0/8',
        EGRESS_LOOPBACK_HTTP: livemode ? 'on' : 'off',
        ...settings,
      }
      return await runInProcess(words, known)
    },
  }
}

/**
 * Prepares the service on a database that the caller opened.
 * @param url the URL of the database; null: the embedded one, in the DATA_DIR of `env`
 */
export async function installOn(url: string | null, env: Record<string, string> = {}): Promise<KeptInstallation> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const at = { ...env, PORT: String(port), ...(livemode && { PUBLIC_URL: address }) }
  const processes = processesOn(url, at)
  if (livemode && url !== null) {
    const sql = openPool({ url, connections: 1, name: 'test of live mode' })
    const { secret_key } = processes
    const twin = await openTwin(sql, { secret_key, origin: address, second: secondOf(env) })
    await sql.end({ timeout: 1 })
    after(() => twin?.close())
  }
  return { ...processes, address }
}

type InstallationWanted = {
  /** Settings that override those of the rig. */
  env?: Record<string, string>
  /** The words after `serve` of each process. */
  processes?: string[][]
  /** Whether the service waits for locks that the test holds, in place of two seconds. */
  waits?: boolean
  /** Why the file needs an installation with the usual settings for itself, such as 'moves the clock'. Absent: it shares one with other files. */
  own?: string
}

/** Opens an installation: borrows one of the run's stands if the usual settings will do, and otherwise starts its own. */
export async function openInstallation(wanted: InstallationWanted = {}): Promise<Installation> {
  const { env, processes = [[]], waits, own } = wanted
  const shares = env === undefined && waits !== true && own === undefined && processes.length > 0 && !livemode
  const stand = shares ? await borrowStand(processes) : null
  if (stand === null) return await startInstallation(wanted)
  const { db, services } = stand
  const base = processesOn(db.url, {}, stand.secret_key)
  const started: Service[] = []
  return {
    ...base,
    ...callsOf(services, db),
    twin: null,
    async start(options) {
      const service = await base.start(options)
      started.push(service)
      return service
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((service) => service[Symbol.asyncDispose]()))
      await stand.giveBack()
    },
  }
}

/** Opens a database and starts the service on it. */
async function startInstallation({
  env = {},
  processes = [[]],
  waits = false,
}: InstallationWanted): Promise<Installation> {
  const db = await openTestDatabase()
  // The twin has one callback address: that of the first running process with an API.
  const port = livemode ? String(await freePort()) : '0'
  const origin = env.PUBLIC_URL ?? `http://127.0.0.1:${port}`
  const base = processesOn(waits ? patient(db.url) : db.url, { ...(livemode && { PUBLIC_URL: origin }), ...env })
  const twin = await openTwin(db.sql, { secret_key: base.secret_key, origin, second: secondOf(env) })
  const started: Service[] = []
  let called: Service | null = null
  const start: Processes['start'] = async ({ env: more = {}, ...options } = {}) => {
    const isCalled = livemode && called === null && !options.args?.includes('worker')
    const service = await base.start({ ...options, env: isCalled ? { PORT: port, ...more } : more })
    if (isCalled) {
      called = service
      service.ended.then(() => {
        called = null
      })
    }
    started.push(service)
    return service
  }
  const end = async () => {
    await Promise.all(started.map((service) => service[Symbol.asyncDispose]()))
    await twin?.close()
    await db[Symbol.asyncDispose]()
  }
  try {
    const services: Service[] = []
    // In turn, because two simultaneous starts are no faster on two cores.
    for (const args of processes) services.push(await start({ args }))
    return { ...base, ...callsOf(services, db), twin, start, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}

/** The calls of an installation, to processes that a test may add to. */
function callsOf(services: Service[], db: TestDatabase) {
  return {
    db,
    services,
    ask: (asked: Asked, process = 0) => ask(services[process]!.address, asked),
    pay: (key: string, body: unknown, more: Partial<Asked> = {}) => ask(services[0]!.address, payment(key, body, more)),
    read: (key: string, payment_id: string, process = 0) =>
      ask(services[process]!.address, { path: `/v1-payments/${payment_id}`, key }),
    newMerchant: () => newMerchant(db.sql),
  }
}

/** Returns the request for a payment, with a new idempotency key. */
export function payment(key: string, body: unknown, more: Partial<Asked> = {}): Asked {
  return { method: 'POST', path: '/v1-payments', key, idempotency_key: randomUUID(), body: bodyInMode(body), ...more }
}

/** Returns a new telephone number of a payer who pays. */
export function newPayer(): string {
  return `07${String(nextRank('payer')).padStart(4, '0')}0000`
}

let addresses = randomBytes(3).readUIntBE(0, 3)

/** Returns a new IP address, one of 16 million. The process of the test files counts up from a random one. */
export function newAddress(): string {
  addresses = (addresses + 1) % 2 ** 24
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}
