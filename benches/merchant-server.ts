import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * The behaviour of an endpoint: it answers at once, after five seconds, or with a 500 at once. It is the first part of
 * the endpoint's path.
 */
export type Behaviour = 'healthy' | 'slow' | 'failing'

/** An event with a valid signature. */
export type Received = { behaviour: Behaviour; body: Buffer }

export type MerchantServer = {
  port: number
  /** Replaces the expected endpoints: their secrets, by path. */
  expect(secrets: Record<string, string>, onReceived: (received: Received) => void): void
  /** The calls since `expect` with an invalid signature or an unknown path. */
  wrong(): number
}

const SLOW_MS = 5_000

/**
 * The web servers of all merchants. It verifies the signature of every event, as the interface asks merchants to, and
 * answers. It reads HTTP by hand, so that receiving costs the machine little.
 */
export async function startMerchantServer(): Promise<MerchantServer> {
  let secrets: Record<string, string> = {}
  let onReceived: (received: Received) => void = () => {}
  let wrong = 0

  function receive(socket: Socket, head: string, body: Buffer): void {
    const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'))
    const behaviour = path.split('/')[1] as Behaviour
    const secret = secrets[path]
    if (secret !== undefined && isSigned(head, body, secret)) onReceived({ behaviour, body })
    else wrong += 1
    const answer = `HTTP/1.1 ${behaviour === 'failing' ? 500 : 200} -\r\nContent-Length: 0\r\n\r\n`
    if (behaviour === 'slow') setTimeout(() => socket.writable && socket.write(answer), SLOW_MS)
    else socket.write(answer)
  }

  const server = createServer({ noDelay: true }, (socket) => {
    let pending: Buffer = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      for (;;) {
        const headersEnd = pending.indexOf('\r\n\r\n')
        if (headersEnd < 0) return
        const head = pending.toString('latin1', 0, headersEnd)
        const end = headersEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (pending.length < end) return
        receive(socket, head, pending.subarray(headersEnd + 4, end))
        pending = pending.subarray(end)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    expect(expected, received) {
      secrets = expected
      onReceived = received
      wrong = 0
    },
    wrong: () => wrong,
  }
}

function isSigned(head: string, body: Buffer, secret: string): boolean {
  const [, t, v1] = /service-signature: t=(\d+),v1=([0-9a-f]{64})/i.exec(head) ?? []
  if (t === undefined) return false
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex') === v1
}
