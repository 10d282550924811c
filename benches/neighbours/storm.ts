import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { batchLines, type Connection, openConnection } from '../requests.ts'
import type { Body, Shots, StormMessage, StormOrder, StormReport } from './storm-order.ts'

/**
 * The attacker: all requests at once, each over a connection of its own, in a process of its own.
 */

let aimed: string[] = []
let address = ''

process.send?.('here')
process.on('message', async (message: StormMessage) => {
  if ('order' in message) {
    address = message.order.address
    aimed = aim(message.order)
    process.send?.('aimed')
  } else process.send?.({ report: await fire(message.go_within_ms) })
})

/** Writes the requests. Connections are opened when they are sent: one that stays silent for long is closed by the service. */
function aim({ address, shots }: StormOrder): string[] {
  const { host } = new URL(address)
  let number = 0
  return shots.flatMap((shot) => {
    // The same for every request but for a batch, whose numbers differ.
    const same = shot.body === undefined || shot.body.kind === 'batch' ? undefined : writeBody(shot.body)
    return Array.from({ length: shot.times }, () => {
      const body = same ?? (shot.body === undefined ? null : JSON.stringify({ lines: batchLines(number++) }))
      return headOf(shot, host, body) + (body ?? '')
    })
  })
}

async function fire(within_ms: number): Promise<StormReport> {
  const statuses: Record<string, number> = {}
  const count = (status: string, by: number) => {
    statuses[status] = (statuses[status] ?? 0) + by
  }
  let left = aimed.length
  let last = performance.now()
  const began = last
  const connections: Connection[] = []
  const answered = aimed.map(async (text) => {
    const connection = openConnection(address)
    connections.push(connection)
    const status = await connection.exchange(text)
    if (left < 0) return
    left -= 1
    last = performance.now()
    count(status, 1)
  })
  const late = new AbortController()
  await Promise.race([Promise.all(answered), sleep(within_ms, null, { signal: late.signal }).catch(() => {})])
  late.abort()
  const unanswered = left
  left = -1
  for (const connection of connections) connection.close()
  if (unanswered > 0) count('unanswered', unanswered)
  return { statuses, seconds: Number(((unanswered > 0 ? performance.now() : last) / 1_000 - began / 1_000).toFixed(2)) }
}

function headOf({ method, path, key, body }: Shots, host: string, text: string | null): string {
  const piecewise = body?.kind === 'bytes one by one'
  const form = body?.kind === 'form' ? body : null
  const type = form === null ? 'application/json' : 'application/x-www-form-urlencoded'
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    ...(method === 'GET' ? [] : [`Idempotency-Key: ${randomUUID()}`]),
    ...(text === null ? [] : [`Content-Type: ${type}`]),
    ...(form === null ? [] : ['Sec-Fetch-Site: same-origin', `Cookie: ${form.cookie}`]),
    ...(piecewise ? ['Transfer-Encoding: chunked'] : text === null ? [] : [`Content-Length: ${text.length}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

function writeBody(body: Exclude<Body, { kind: 'batch' }>): string {
  if (body.kind === 'form') return body.text
  if (body.kind === 'bytes one by one') {
    const [before, after] = ['{"amount":100,"description":"', '"}']
    const text = before + 'a'.repeat(body.bytes - before.length - after.length) + after
    return `${text.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`
  }
  const [before, after] = body.of === 'batch' ? ['{"lines":[-0', ']}'] : ['{"amount":100,"metadata":{"of":[-0', ']}}']
  return before + ',-0'.repeat(Math.floor((body.bytes - before.length - after.length) / 3)) + after
}
