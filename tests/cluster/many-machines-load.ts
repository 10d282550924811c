import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Asked, ask } from '../contract/ask.ts'
import { type PayoutMerchant, payout } from '../faults/payout-merchant.ts'
import type { Seed } from '../harness/seed.ts'

/** A request that a merchant repeats with one key until it has a success. */
export type LoadRequest = {
  kind: 'payment' | 'payout'
  asked: Asked & { idempotency_key: string }
  /** The body of its success. Null while the merchant does not know the result. */
  acknowledged: string | null
}

/** One request to one machine. */
export type Sent = {
  address: string
  /** Milliseconds of this process's own clock. */
  began: number
  ended: number
  /** The status of the answer, or `cut`: the connection was lost after the request was sent. */
  outcome: number | 'cut'
}

export type BalancedLoad = {
  requests: readonly LoadRequest[]
  sent: readonly Sent[]
  /** Events that must never happen, in words. */
  wrong: readonly string[]
  acknowledged(): number
  /** The number of requests that this machine is answering. */
  underWay(address: string): number
  /** Resolves when nothing is under way. */
  stop(): Promise<void>
  /** Repeats every request, acknowledged ones too, until each has its success. */
  confirm(): Promise<void>
}

/** Payers who pay: at once, with a lost answer of the operator, with a repeated proof. And recipients, of whom some cannot be paid. */
const payers = ['0700000010', '0500000020', '0100000030', '0700000004', '0500000005']
const payees = ['0700000010', '0500000020', '0100000002', '0700000004', '0500000005', '0700000006']

/**
 * Merchants behind a load balancer in front of several machines: each request goes to the next machine in turn, and where
 * nobody listens it goes to the one after, because nothing has arrived yet. A request that was cut or told to wait comes again.
 */
export function startBalancedLoad(options: {
  addresses: readonly string[]
  seed: Seed
  /** A key that collects. */
  collector: string
  payer: PayoutMerchant
  clients: number
  /** Longest pause of a client between two requests; the shortest is a third of it. */
  pause_ms: number
}): BalancedLoad {
  const { addresses, seed, collector, payer, clients, pause_ms } = options
  const requests: LoadRequest[] = []
  const sent: Sent[] = []
  const wrong: string[] = []
  const underWay = new Map(addresses.map((address) => [address, 0]))
  const again: LoadRequest[] = []
  let turn = 0
  let stopped = false

  async function send(address: string, asked: Asked): Promise<Answer | 'cut' | 'refused'> {
    const began = performance.now()
    const note = (outcome: Sent['outcome']) => sent.push({ address, began, ended: performance.now(), outcome })
    underWay.set(address, underWay.get(address)! + 1)
    try {
      const answer = await ask(address, asked)
      note(answer.status)
      return answer
    } catch (error) {
      if (isRefused(error)) return 'refused'
      note('cut')
      return 'cut'
    } finally {
      underWay.set(address, underWay.get(address)! - 1)
    }
  }

  async function balance(request: LoadRequest): Promise<void> {
    turn += 1
    const from = turn
    for (let tries = 0; tries < addresses.length; tries += 1) {
      const answer = await send(addresses[(from + tries) % addresses.length]!, request.asked)
      if (answer !== 'refused') return judge(request, answer)
    }
    wrong.push('there was a moment at which no machine listened')
  }

  /** Checks that every success under one key is the same, byte for byte. A concurrent repeat is refused while the first is in progress. */
  function judge(request: LoadRequest, answer: Answer | 'cut'): void {
    if (answer === 'cut') return
    const { status, text } = answer
    if (status === 201) {
      request.acknowledged ??= text
      if (request.acknowledged !== text) wrong.push(`one key had two answers: ${request.acknowledged} and ${text}`)
    } else if (status !== 409 || !text.includes('"idempotency_in_progress"')) wrong.push(`${status}: ${text}`)
  }

  async function client(): Promise<void> {
    while (!stopped) {
      const request = again.shift() ?? newRequest()
      await balance(request)
      if (request.acknowledged === null) again.push(request)
      await sleep(pause_ms / 3 + seed.fraction() * pause_ms * (2 / 3))
    }
  }

  function newRequest(): LoadRequest {
    const amount = seed.between(100, 50_000)
    const pays = seed.chance(0.4)
    const asked = pays ? payout(payer, { amount, msisdn: seed.pick(payees) }) : payment(collector, amount, seed)
    const request: LoadRequest = { kind: pays ? 'payout' : 'payment', asked, acknowledged: null }
    requests.push(request)
    return request
  }

  const going = Array.from({ length: clients }, client)
  return {
    requests,
    sent,
    wrong,
    acknowledged: () => requests.filter(({ acknowledged }) => acknowledged !== null).length,
    underWay: (address) => underWay.get(address)!,
    async stop() {
      stopped = true
      await Promise.all(going)
    },
    async confirm() {
      const waiting = [...requests]
      const work = async () => {
        for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
          await balance(request)
          // A dead machine's transaction may still be open on the server for a moment.
          for (let tries = 0; request.acknowledged === null && tries < 100; tries += 1) {
            await sleep(50)
            await balance(request)
          }
          if (request.acknowledged === null) wrong.push(`${JSON.stringify(request.asked.body)} never had its answer`)
        }
      }
      await Promise.all(Array.from({ length: 8 }, work))
    },
  }
}

function payment(key: string, amount: number, seed: Seed): LoadRequest['asked'] {
  const idempotency_key = randomUUID()
  const body = { amount, counterparty: { msisdn: seed.pick(payers) }, merchant_reference: idempotency_key }
  return { method: 'POST', path: '/v1-payments', key, idempotency_key, body }
}

/** Whether there was no connection, so that nothing has arrived. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
}
