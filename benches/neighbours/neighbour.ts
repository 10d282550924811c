import { setTimeout as sleep } from 'node:timers/promises'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { arriveAtRate } from '../arrivals.ts'
import { timesOf } from '../load-order.ts'
import { startMerchantServer } from '../merchant-server.ts'
import { type Connection, openConnection, requestOf } from '../requests.ts'
import {
  type Figure,
  figures,
  type NeighbourMessage,
  type NeighbourOrder,
  type NeighbourReport,
  type Phase,
} from './neighbour-order.ts'

/**
 * The neighbour: a merchant that asks calmly at a fixed rate and receives its events, in a process of its own, so that its clock
 * does not stop when the attacker is busy. What is asked has its moment, and its time counts from there.
 */

/** As many as are slow at once still leave one for the next. */
const CONNECTIONS = 32

type Sample = { figure: Figure; due: number; took: number; status?: string; never?: boolean }

const server = await startMerchantServer()
/** Phases by the moment at which they began. */
const phases: { name: string; from: number }[] = []
const samples: Sample[] = []
/** Payments and payouts without their webhook, by their references. */
const open = new Map<string, { figure: 'whole_payments' | 'whole_payouts'; due: number }>()
/** Questions without an answer. */
const underWay = new Set<Question>()
let ended = false

process.send?.({ port: server.port })
process.on('message', async (message: NeighbourMessage) => {
  if ('order' in message) begin(message.order)
  else if ('phase' in message) phases.push({ name: message.phase, from: performance.now() })
  else process.send?.({ report: await end(message.end_within_ms) })
})

function begin(order: NeighbourOrder): void {
  server.expect(order.secrets, ({ body }) => receive(JSON.parse(body.toString('utf8'))))
  const { collect, payout } = order.keys
  ask(order, 'payments', (host, turn) => requestOf('payment', host, collect[turn % collect.length]!))
  ask(order, 'payouts', (host, turn) => requestOf('payout', host, payout[turn % payout.length]!))
  ask(order, 'healthz', (host) => ({ reference: '', text: `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n` }))
}

type Asked = 'payments' | 'payouts' | 'healthz'

/** One stream of requests, over connections of its own. */
function ask(
  { address, per_second }: NeighbourOrder,
  figure: Asked,
  write: (host: string, turn: number) => { reference: string; text: string },
): void {
  const arrivals = arriveAtRate(per_second, performance.now())
  let turn = 0
  const askOn = async () => {
    let connection = openConnection(address)
    while (!ended) {
      const due = await arrivals.next()
      if (ended) break
      const { reference, text } = write(connection.host, turn++)
      if ((await exchange(connection, { figure, due, reference, text })) === 'lost')
        connection = openConnection(address)
    }
    connection.close()
  }
  for (let at = 0; at < CONNECTIONS; at += 1) void askOn()
}

type Question = { figure: Asked; due: number; reference: string; text: string }

async function exchange(connection: Connection, question: Question): Promise<string> {
  const { figure, due, reference, text } = question
  underWay.add(question)
  if (figure !== 'healthz') open.set(reference, { figure: `whole_${figure}`, due })
  const status = await connection.exchange(text)
  underWay.delete(question)
  samples.push({ figure, due, took: performance.now() - due, status })
  if (status !== '201') open.delete(reference)
  return status
}

type Received = { created_at: string; data: { merchant_reference?: string; reference?: string } }

function receive({ created_at, data }: Received): void {
  const now = performance.now()
  const asked = open.get(data.merchant_reference ?? data.reference ?? '')
  // One that is delivered again has its time already.
  if (asked === undefined || !open.delete(data.merchant_reference ?? data.reference ?? '')) return
  samples.push({ ...asked, took: now - asked.due })
  const took = machineMilliseconds() - Date.parse(created_at)
  samples.push({ figure: 'deliveries', due: now - took, took })
}

async function end(within_ms: number): Promise<NeighbourReport> {
  ended = true
  const latest = performance.now() + within_ms
  while ((underWay.size > 0 || open.size > 0) && performance.now() < latest) await sleep(20)
  // What was not answered has taken at least as long as it has waited.
  for (const { figure, due } of underWay) {
    samples.push({ figure, due, took: performance.now() - due, status: 'unanswered' })
  }
  for (const { figure, due } of open.values()) {
    const took = performance.now() - due
    samples.push({ figure, due, took, never: true }, { figure: 'deliveries', due, took })
  }
  const report = Object.fromEntries(phases.map(({ name, from }, at) => [name, reportOf(from, phases[at + 1]?.from)]))
  return { phases: report, wrongly_signed: server.wrong() }
}

function reportOf(from: number, to = Number.POSITIVE_INFINITY): Phase {
  const within = samples.filter(({ due }) => due >= from && due < to)
  const times = figures.map((figure) => {
    const taken = within.filter((sample) => sample.figure === figure).map(({ took }) => took)
    return [figure, { count: taken.length, ...timesOf(taken) }]
  })
  const statuses: Record<string, number> = {}
  for (const { status } of within) if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1
  return { ...Object.fromEntries(times), statuses, never: within.filter(({ never }) => never === true).length }
}
