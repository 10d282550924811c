import { setTimeout as sleep } from 'node:timers/promises'
import { machineMilliseconds } from '../src/platform/clock.ts'
import { type Arrivals, arriveAtRate, arriveWhenFree } from './arrivals.ts'
import { type LoadOrder, type LoadReport, timesOf } from './load-order.ts'
import { type MerchantServer, startMerchantServer } from './merchant-server.ts'
import { openConnection, requestOf } from './requests.ts'

/**
 * The load: a process that plays the merchants. It keeps a number of connections busy, each with one request at a time,
 * and receives the events.
 */

const server = await startMerchantServer()
process.send?.({ port: server.port })
process.on('message', (order: LoadOrder) => {
  void carryOut(order, server).then((report) => process.send?.({ report }))
})

/** The longest wait for whole payments to end after the last one began, in milliseconds. */
const DRAIN_MS = 120_000

async function carryOut(order: LoadOrder, server: MerchantServer): Promise<LoadReport> {
  const { connections, rate, in_flight = connections, warm_up, seconds } = order
  const whole = order.what === 'whole payment'
  const begin = performance.now() + warm_up * 1_000
  const end = begin + seconds * 1_000
  const arrivals =
    rate === undefined ? arriveWhenFree(whole ? in_flight : connections) : arriveAtRate(rate, performance.now())
  const notes = takeNotes(begin, end)
  /** The planned times of open whole payments, by reference. */
  const open = new Map<string, number>()
  /** The arrival times of the events of whole payments, if requested. */
  const arrived: [reference: string, at: number][] = []
  const events = watchEvents(order, server, notes, (reference) => {
    const due = open.get(reference)
    if (due === undefined || !open.delete(reference)) return
    arrivals.ended()
    notes.ended(due)
    if (order.tells_arrivals && notes.isMeasured()) arrived.push([reference, machineMilliseconds()])
  })
  let cpuAtBegin = process.cpuUsage()
  setTimeout(() => {
    cpuAtBegin = process.cpuUsage()
    process.send?.('measuring')
  }, warm_up * 1_000)

  const asking =
    order.what === 'nothing' ? [] : Array.from({ length: connections }, () => ask(order, arrivals, notes, end, open))
  // Some whole payments may never end. A connection that waits for one would wait for ever.
  await Promise.all([...(whole ? [] : asking), sleep(end - performance.now())])
  const cpu = process.cpuUsage(cpuAtBegin)
  process.send?.('measured')
  const backlog = whole ? await drain(open) : null
  return {
    ...notes.report(),
    delivery: whole || order.what === 'nothing' ? { ...events.report(), wrongly_signed: server.wrong() } : null,
    backlog,
    ...(order.tells_arrivals ? { arrived } : {}),
    seconds,
    cpu_ms: Math.round((cpu.user + cpu.system) / 1_000),
  }
}

/** Runs one connection: sends a request, waits for the answer, and repeats until the end. */
async function ask(
  { address, what, keys }: LoadOrder,
  arrivals: Arrivals,
  notes: Notes,
  end: number,
  open: Map<string, number>,
): Promise<void> {
  const connection = openConnection(address)
  for (;;) {
    const due = await arrivals.next()
    if (due >= end || performance.now() >= end) break
    const { reference, text } = requestOf(what, connection.host, keys[Math.floor(Math.random() * keys.length)]!)
    if (what === 'whole payment') open.set(reference, due)
    const status = await connection.exchange(text)
    notes.answered(status)
    if (what === 'whole payment') {
      if (status !== '201' && open.delete(reference)) arrivals.ended()
    } else {
      arrivals.ended()
      if (status === '201') notes.ended(due)
    }
  }
  arrivals.ended()
  connection.close()
}

/** Waits for open whole payments, as long as some still end. */
async function drain(open: Map<string, number>): Promise<{ left: number; seconds: number; never: number }> {
  const left = open.size
  const began = performance.now()
  while (open.size > 0 && performance.now() - began < DRAIN_MS) await sleep(20)
  return { left, seconds: Number(((performance.now() - began) / 1_000).toFixed(2)), never: open.size }
}

/**
 * Receives the events. The merchant's reference tells a whole payment from other events. The delivery time includes
 * every event that reached a healthy endpoint within the measured time.
 */
function watchEvents(order: LoadOrder, server: MerchantServer, notes: Notes, onPayment: (reference: string) => void) {
  const latencies: number[] = []
  const seen = new Set<string>()
  let repeated = 0
  const isNew = (id: string): boolean => seen.size < seen.add(id).size
  server.expect(order.secrets, ({ behaviour, body }) => {
    const event = JSON.parse(body.toString('utf8'))
    if (behaviour !== 'healthy') return
    if (!isNew(event.id)) {
      repeated += 1
      return
    }
    const began = performance.now() - (machineMilliseconds() - Date.parse(event.created_at))
    if (notes.isMeasured()) latencies.push(performance.now() - began)
    if (order.what === 'nothing') notes.ended(began)
    else if (event.type === 'payment.succeeded') onPayment(event.data.merchant_reference)
  })
  return {
    report: () => ({ events: latencies.length, repeated, ...timesOf(latencies) }),
  }
}

type Notes = ReturnType<typeof takeNotes>

/** Records the operations that ended within the measured time, with their latencies. */
function takeNotes(begin: number, end: number) {
  const statuses: Record<string, number> = {}
  const thirds: number[][] = [[], [], []]
  const minutes = Array.from({ length: Math.ceil((end - begin) / 60_000) }, (): number[] => [])
  const isMeasured = (now = performance.now()) => now >= begin && now < end
  return {
    isMeasured,
    answered(status: string): void {
      if (isMeasured()) statuses[status] = (statuses[status] ?? 0) + 1
    },
    /** @param began the time at which it began or was planned to begin */
    ended(began: number): void {
      const now = performance.now()
      if (!isMeasured(now)) return
      thirds[Math.floor((3 * (now - begin)) / (end - begin))]!.push(now - began)
      minutes[Math.floor((now - begin) / 60_000)]!.push(now - began)
    },
    report() {
      const p99_of_thirds = thirds.map((third) => timesOf(third).p99_ms)
      const p99_of_minutes = minutes.map((minute) => (minute.length === 0 ? null : timesOf(minute).p99_ms))
      const all = thirds.flat()
      return { statuses, operations: all.length, p99_of_thirds, p99_of_minutes, ...timesOf(all) }
    },
  }
}
