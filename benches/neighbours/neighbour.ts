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
 * does not stop when the attacker is busy. Each call has its moment, and its time counts from there.
 */

/** As many as are slow at once still leave one for the next. */
const CONNECTIONS = 32

type Sample = { figure: Figure; due: number; took: number; status?: string; never?: boolean }
type Asked = 'payments' | 'payouts' | 'healthz'
type Question = { figure: Asked; due: number; reference: string; text: string }
type Received = { created_at: string; data: { merchant_reference?: string; reference?: string } }

const server = await startMerchantServer()
let run = startRun()
process.send?.({ port: server.port })
process.on('message', async (message: NeighbourMessage) => {
  if ('order' in message) {
    run = startRun()
    run.begin(message.order)
  } else if ('phase' in message) run.enter(message.phase)
  else process.send?.({ report: await run.end(message.end_within_ms) })
})

/** One attack's worth of asking and receiving. */
function startRun() {
  /** Phases by the moment at which they began. */
  const phases: { name: string; from: number }[] = []
  const samples: Sample[] = []
  /** Figures that have no sample yet. */
  const missing = new Set<Figure>(figures)
  /** Payments and payouts without their webhook, by their references. */
  const open = new Map<string, { figure: 'whole_payments' | 'whole_payouts'; due: number }>()
  /** Questions without an answer. */
  const underWay = new Set<Question>()
  let ended = false

  function note(sample: Sample): void {
    samples.push(sample)
    if (missing.delete(sample.figure) && missing.size === 0) process.send?.('at work')
  }

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

  async function exchange(connection: Connection, question: Question): Promise<string> {
    const { figure, due, reference, text } = question
    underWay.add(question)
    if (figure !== 'healthz') open.set(reference, { figure: `whole_${figure}`, due })
    const status = await connection.exchange(text)
    underWay.delete(question)
    note({ figure, due, took: performance.now() - due, status })
    if (status !== '201') open.delete(reference)
    return status
  }

  function receive({ created_at, data }: Received): void {
    const now = performance.now()
    const reference = data.merchant_reference ?? data.reference ?? ''
    const asked = open.get(reference)
    // One that is delivered again has its time already.
    if (asked === undefined) return
    open.delete(reference)
    note({ ...asked, took: now - asked.due })
    const took = machineMilliseconds() - Date.parse(created_at)
    note({ figure: 'deliveries', due: now - took, took })
  }

  return {
    begin(order: NeighbourOrder): void {
      server.expect(order.secrets, ({ body }) => receive(JSON.parse(body.toString('utf8'))))
      const { collect, payout } = order.keys
      ask(order, 'payments', (host, turn) => requestOf('payment', host, collect[turn % collect.length]!))
      ask(order, 'payouts', (host, turn) => requestOf('payout', host, payout[turn % payout.length]!))
      ask(order, 'healthz', (host) => ({ reference: '', text: `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n` }))
    },
    enter: (name: string) => void phases.push({ name, from: performance.now() }),
    async end(within_ms: number): Promise<NeighbourReport> {
      ended = true
      const latest = performance.now() + within_ms
      while ((underWay.size > 0 || open.size > 0) && performance.now() < latest) await sleep(20)
      // A call without an answer has taken at least as long as it has waited.
      for (const { figure, due } of underWay) {
        samples.push({ figure, due, took: performance.now() - due, status: 'unanswered' })
      }
      for (const { figure, due } of open.values()) {
        const took = performance.now() - due
        samples.push({ figure, due, took, never: true }, { figure: 'deliveries', due, took })
      }
      const reports = phases.map(({ name, from }, at) => {
        const to = phases[at + 1]?.from ?? Number.POSITIVE_INFINITY
        return [name, reportOf(samples.filter(({ due }) => due >= from && due < to))]
      })
      return { phases: Object.fromEntries(reports), wrongly_signed: server.wrong() }
    },
  }
}

function reportOf(samples: readonly Sample[]): Phase {
  const times = figures.map((figure) => {
    const taken = samples.filter((sample) => sample.figure === figure).map(({ took }) => took)
    return [figure, { count: taken.length, ...timesOf(taken) }]
  })
  const statuses: Record<string, number> = {}
  for (const { status } of samples) if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1
  return { ...Object.fromEntries(times), statuses, never: samples.filter(({ never }) => never === true).length }
}
