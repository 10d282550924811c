import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/**
 * The load: a process of its own that keeps a number of connections busy, each with one request at a time, and measures
 * how long every answer took. It writes and reads HTTP by hand, so that on a machine with two cores as little as
 * possible of them goes into asking.
 */

export type LoadOrder = {
  address: string
  /** What every request asks for. */
  what: 'payment' | 'payout'
  keys: string[]
  connections: number
  /** Seconds without measuring, then with. */
  warm_up: number
  seconds: number
}

export type LoadReport = {
  /** Answers within the measured time, by status. */
  statuses: Record<string, number>
  /** Sorted, in milliseconds, of the accepted ones. */
  p50_ms: number
  p95_ms: number
  p99_ms: number
  max_ms: number
  seconds: number
  cpu_ms: number
}

process.on('message', (order: LoadOrder) => {
  void carryOut(order).then((report) => {
    process.send?.(report)
    process.disconnect?.()
  })
})

async function carryOut({ address, what, keys, connections, warm_up, seconds }: LoadOrder): Promise<LoadReport> {
  const { hostname, port, host } = new URL(address)
  const statuses: Record<string, number> = {}
  const latencies: number[] = []
  const begin = performance.now() + warm_up * 1_000
  const end = begin + seconds * 1_000
  let asked = 0
  let cpuAtBegin: NodeJS.CpuUsage | undefined
  process.send?.('warming up')
  setTimeout(() => {
    cpuAtBegin = process.cpuUsage()
    process.send?.('measuring')
  }, warm_up * 1_000)

  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      const read = answers(socket)
      for (let now = performance.now(); now < end; ) {
        socket.write(request(what, host, keys[asked++ % keys.length]!))
        const status = await read()
        const answered = performance.now()
        if (now >= begin && answered <= end) {
          statuses[status] = (statuses[status] ?? 0) + 1
          if (status === '201') latencies.push(answered - now)
        }
        now = answered
      }
      socket.destroy()
    }),
  )
  const cpu = process.cpuUsage(cpuAtBegin)
  latencies.sort((a, b) => a - b)
  const at = (share: number) => Number((latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2))
  return {
    statuses,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
    max_ms: Number((latencies.at(-1) ?? 0).toFixed(2)),
    seconds,
    cpu_ms: Math.round((cpu.user + cpu.system) / 1_000),
  }
}

/** A request like a merchant's: a key and a reference of its own, and somebody else's number each time. */
function request(what: LoadOrder['what'], host: string, key: string): string {
  const unique = randomBytes(12).toString('hex')
  const number = `07${String(Number.parseInt(unique.slice(0, 8), 16) % 100_000_000).padStart(8, '0')}`
  const [path, fields] = what === 'payment' ? payment(unique, number) : payout(unique, number)
  const body = JSON.stringify(fields)
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${unique}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

function payment(unique: string, msisdn: string): [path: string, fields: object] {
  return [
    '/v1-payments',
    {
      amount: 10_000,
      currency: 'XOF',
      operator: 'orange_ci',
      counterparty: { msisdn },
      merchant_reference: `order-${unique}`,
      description: 'Two bags of rice',
      metadata: { cart: unique, shop: 'Treichville', lines: 2 },
    },
  ]
}

function payout(unique: string, msisdn: string): [path: string, fields: object] {
  return [
    '/v1-payouts',
    { amount: 1_000, beneficiary: { msisdn, operator: 'orange_ci', name: 'Awa Kone' }, reference: `wage-${unique}` },
  ]
}

/** Reads one answer at a time and returns its status. */
function answers(socket: Socket): () => Promise<string> {
  let text = ''
  let waiting: ((status: string) => void) | undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    const headersEnd = text.indexOf('\r\n\r\n')
    if (headersEnd < 0) return
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (text.length < headersEnd + 4 + length) return
    const status = text.slice(9, 12)
    text = ''
    waiting?.(status)
  })
  socket.on('error', () => waiting?.('lost'))
  return () =>
    new Promise((resolve) => {
      waiting = resolve
    })
}
