import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Dispatcher, Pool } from 'undici'
import type { Seed } from '../harness/seed.ts'

/** A payment that its merchant requests, once or repeatedly. */
export type Wanted = {
  idempotency_key: string
  merchant_reference: string
  text: string
  /** The body of its 201. Null while the result is unknown. */
  acknowledged: string | null
}

export type Load = {
  wanted: readonly Wanted[]
  /** The number of answers with each status. */
  answers: ReadonlyMap<number, number>
  /** The number of requests without an answer: the connection was refused, cut or too slow. */
  unanswered: number
  /** The number of those that were cut after they were sent. */
  cut: number
  /** The longest wait for an answer or the lack of one, in milliseconds. */
  slowest_ms: number
  /** Events that must never happen, in words: two answers to one request, a refusal of an innocent one. */
  wrong: readonly string[]
  acknowledgements: number
  /** The idle connections: open, with the last answer received. */
  connected: number
  /** Stops. Resolves when nothing is under way. */
  stop(): Promise<void>
}

export type LoadOptions = {
  address: string
  key: string
  seed: Seed
  connections?: number
  /** Longest pause of a connection between two requests; the shortest is a third of it. */
  pause_ms?: number
  /** The share of repeated requests, from 0 to 1. */
  repeated?: number
}

/** The wait in milliseconds after which a request counts as hanging. */
const HANG_MS = 15_000

/** Numbers of payers who pay: at once, with a lost answer of the operator, and with a repeated proof. */
const payers = ['0700000010', '0500000020', '0100000030', '0700000004', '0500000005']

/**
 * Asks for payments on kept connections, as merchants' servers do, until stopped: each with a key and a reference of its
 * own, some of them again. A request without an answer is left for `confirm`.
 */
export function startLoad(options: LoadOptions): Load {
  const { address, key, seed, connections = 32, pause_ms = 250, repeated = 0.1 } = options
  const clients = Array.from(
    { length: connections },
    () => new Client(address, { pipelining: 1, headersTimeout: HANG_MS, bodyTimeout: HANG_MS }),
  )
  const answered = new Set<Client>()
  const wanted: Wanted[] = []
  const answers = new Map<number, number>()
  const wrong: string[] = []
  const load = { unanswered: 0, cut: 0, slowest_ms: 0, acknowledgements: 0, connected: 0 }
  let stopped = false

  /** Whether an answer came, or the request may at least have arrived. */
  async function ask(client: Client, one: Wanted): Promise<boolean> {
    const began = performance.now()
    try {
      const answer = await post(client, key, one)
      answered.add(client)
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      if (answer.status === 201) load.acknowledgements += 1
      judge(one, answer, wrong)
      return true
    } catch (error) {
      answered.delete(client)
      load.unanswered += 1
      if (isCut(error)) load.cut += 1
      return isCut(error)
    } finally {
      load.slowest_ms = Math.max(load.slowest_ms, performance.now() - began)
      load.connected = answered.size
    }
  }

  async function goOn(client: Client): Promise<void> {
    while (!stopped) {
      const again = wanted.length > 0 && seed.chance(repeated)
      const one = again ? seed.pick(wanted) : newPayment(seed)
      if (!again) wanted.push(one)
      // The server is away. A client waits a moment and tries again.
      while (!(await ask(client, one)) && !stopped) await sleep(200)
      await sleep(pause_ms / 3 + seed.fraction() * pause_ms * (2 / 3))
    }
  }

  const going = clients.map(goOn)
  return Object.assign(load, {
    wanted,
    answers,
    wrong,
    async stop() {
      stopped = true
      await Promise.all(going)
      await Promise.all(clients.map((client) => client.destroy()))
    },
  })
}

/** Requests payments of one payer, one after another. @throws if one is not acknowledged */
export async function askFor(options: {
  address: string
  key: string
  payer: string
  times: number
}): Promise<Wanted[]> {
  const { address, key, payer, times } = options
  const pool = new Pool(address, { connections: 1 })
  try {
    const wanted = Array.from({ length: times }, (_, rank) => wantedPayment(1_000 + rank, { msisdn: payer }))
    for (const one of wanted) {
      const { status, text } = await post(pool, key, one)
      if (status !== 201) throw new Error(`A payment was answered ${status}: ${text}`)
      one.acknowledged = text
    }
    return wanted
  } finally {
    await pool.close()
  }
}

/** Repeats every request until each has its 201, like a merchant that does not know the result. */
export async function confirm(load: Load, { address, key }: { address: string; key: string }): Promise<void> {
  const pool = new Pool(address, { connections: 16, pipelining: 1, headersTimeout: HANG_MS, bodyTimeout: HANG_MS })
  const waiting = [...load.wanted]
  const wrong = load.wrong as string[]
  const work = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await confirmOne(one)
  }
  async function confirmOne(one: Wanted): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      const answer = await post(pool, key, one)
      judge(one, answer, wrong)
      if (answer.status === 201) return
      // The dead process's transaction may still be open on the server for a moment.
      await sleep(100)
    }
    wrong.push(`${one.merchant_reference} never got its 201`)
  }
  try {
    await Promise.all(Array.from({ length: 16 }, work))
  } finally {
    await pool.destroy()
  }
}

function newPayment(seed: Seed): Wanted {
  const counterparty = { msisdn: seed.pick(payers) }
  return wantedPayment(seed.between(100, 50_000), counterparty, seed.chance(0.25) ? 'succeed' : undefined)
}

/** A payment not requested yet, from a payer who pays. */
export function wantedPayment(amount: number, counterparty = { msisdn: payers[0]! }, simulate?: 'succeed'): Wanted {
  const merchant_reference = randomUUID()
  const body = { amount, counterparty, merchant_reference, simulate, metadata: { order: amount } }
  return { idempotency_key: randomUUID(), merchant_reference, text: JSON.stringify(body), acknowledged: null }
}

type Answer = { status: number; text: string }

async function post(through: Dispatcher, key: string, { idempotency_key, text }: Wanted): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'idempotency-key': idempotency_key,
    'content-type': 'application/json',
  }
  const { statusCode, body } = await through.request({ method: 'POST', path: '/v1-payments', headers, body: text })
  return { status: statusCode, text: await body.text() }
}

/** Checks an answer. A request that has its 201 gets the same one for ever; before that it may be in progress elsewhere or meet a fault. */
function judge(one: Wanted, { status, text }: Answer, wrong: string[]): void {
  const inProgress = status === 409 && text.includes('"idempotency_in_progress"')
  if (status === 201) {
    one.acknowledged ??= text
    if (one.acknowledged !== text) wrong.push(`${one.merchant_reference} was answered twice, differently`)
  } else if (!inProgress && status !== 500 && status !== 503) {
    wrong.push(`${one.merchant_reference} was answered ${status}: ${text}`)
  }
}

function isCut(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
}
