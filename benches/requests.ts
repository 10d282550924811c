import { randomBytes, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { LoadOrder } from './load-order.ts'

/** A connection that carries one request at a time. It writes and reads HTTP by hand, in ASCII, which costs the machine less. */
export type Connection = {
  host: string
  /** Returns the status of the answer, or `lost`. */
  exchange(text: string): Promise<string>
  close(): void
}

export function openConnection(address: string): Connection {
  const { hostname, port, host } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const read = answers(socket)
  return {
    host,
    exchange(text) {
      socket.write(text, 'latin1')
      return read()
    },
    close: () => socket.destroy(),
  }
}

/** Reads one answer at a time and returns its status. It only counts the length of a body, which may have many megabytes. */
function answers(socket: Socket): () => Promise<string> {
  let head = ''
  /** The bytes of the answer's body still to come; null until its head is complete. */
  let missing: number | null = null
  let waiting: ((status: string) => void) | undefined
  let lost = false
  socket.on('data', (chunk: Buffer) => {
    if (missing === null) {
      head += chunk.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4)
    } else missing -= chunk.length
    if (missing > 0) return
    const status = head.slice(9, 12)
    head = ''
    missing = null
    waiting?.(status)
  })
  const lose = () => {
    lost = true
    waiting?.('lost')
  }
  socket.on('error', lose)
  socket.on('close', lose)
  return () =>
    new Promise((resolve) => {
      waiting = resolve
      // A lost connection answers nothing more. The pause keeps the caller's loop from using up the processor.
      if (lost) setTimeout(resolve, 100, 'lost')
    })
}

/** Makes a request like a merchant's, with a new key and reference, and another number each time. */
export function requestOf(what: LoadOrder['what'], host: string, key: string): { reference: string; text: string } {
  const unique = drawUnique()
  // No number has an ending of the simulator's scenarios (0001 to 0009), so every operation succeeds.
  const number = `07${String(Number.parseInt(unique.slice(0, 8), 16) % 10_000_000).padStart(7, '0')}0`
  const [path, reference, fields] = what === 'payout' ? payout(unique, number) : payment(unique, number)
  const body = JSON.stringify(fields)
  const text =
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${unique}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  return { reference, text }
}

const UNIQUE_BYTES = 12

/** Random bytes, drawn many at once: one draw takes 1.9 µs of the 20 that the client has for a request. */
let drawn = Buffer.alloc(0)

function drawUnique(): string {
  if (drawn.length === 0) drawn = randomBytes(1_000 * UNIQUE_BYTES)
  const unique = drawn.toString('hex', 0, UNIQUE_BYTES)
  drawn = drawn.subarray(UNIQUE_BYTES)
  return unique
}

function payment(unique: string, msisdn: string): [path: string, reference: string, fields: object] {
  const merchant_reference = `order-${unique}`
  return [
    '/v1-payments',
    merchant_reference,
    {
      amount: 10_000,
      currency: 'XOF',
      operator: 'orange_ci',
      counterparty: { msisdn },
      merchant_reference,
      description: 'Two bags of rice',
      metadata: { cart: unique, shop: 'Treichville', lines: 2 },
    },
  ]
}

function payout(unique: string, msisdn: string): [path: string, reference: string, fields: object] {
  const reference = `wage-${unique}`
  return [
    '/v1-payouts',
    reference,
    { amount: 1_000, beneficiary: { msisdn, operator: 'orange_ci', name: 'Awa Kone' }, reference },
  ]
}

/** Makes the lines of a batch of wages. No number has an ending of the simulator's scenarios, and none is in two batches. */
export function batchLines(batch: number, count = 500): object[] {
  return Array.from({ length: count }, (_, at) => ({
    amount: 1_000 + at,
    beneficiary: {
      msisdn: `07${String(batch * count + at).padStart(7, '0')}9`,
      operator: 'orange_ci',
      name: 'Awa',
    },
  }))
}

/**
 * Posts to the service and returns its answer.
 * @throws when the service refuses
 */
export async function post(
  address: string,
  key: string,
  path: string,
  body?: object,
): Promise<{ id: string; status: string }> {
  const answer = await fetch(address + path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Idempotency-Key': randomUUID(),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id: string; status: string }
}
