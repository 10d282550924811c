import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask } from '../contract/ask.ts'
import type { Seed } from '../harness/seed.ts'

/** The faults of the line. `none` passes a request on. */
export const faults = ['drop', 'cut', 'double', 'delay', 'hold', 'garble', 'limit', 'firewall', 'gateway'] as const
export type Fault = (typeof faults)[number] | 'none'

/** Longer than a client of these tests waits. */
const HOLD_MS = 1_800
const DELAY_MS = 60

type Arrived = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }

/** A line between a client and the service that fails in every way that a line can. The seed chooses how; the `firewall` passes reads only once in a while. */
export async function openFaultProxy(target: string, seed: Seed, { faulty }: { faulty: number }) {
  const counts: Record<Fault, number> = {
    ...{ none: 0, drop: 0, cut: 0, double: 0, delay: 0, hold: 0, garble: 0, limit: 0, firewall: 0, gateway: 0 },
  }
  /** @param response whose client ends the call when it gives up, so that the service does not work for nobody. Absent: it must arrive */
  const pass = ({ method, path, headers, body }: Arrived, response?: ServerResponse): Promise<Answer> => {
    const { host: _, connection: __, ...kept } = headers
    const gone = new AbortController()
    response?.once('close', () => gone.abort())
    return ask(target, {
      ...{ method, path, headers: kept as Record<string, string>, patience_ms: 60_000, signal: gone.signal },
      ...(body.length > 0 && { text: body }),
    })
  }
  const give = (response: ServerResponse, { status, headers, text }: Answer) => {
    response.writeHead(status, { ...headers, connection: 'close' }).end(text)
  }
  const refuse = (response: ServerResponse, status: number, type: string, text: string, more = {}) => {
    response.writeHead(status, { 'Content-Type': type, ...more }).end(text)
  }

  const work: Record<Fault, (arrived: Arrived, response: ServerResponse) => Promise<unknown> | unknown> = {
    none: async (arrived, response) => give(response, await pass(arrived, response)),
    drop: (_, response) => response.destroy(),
    async cut(arrived, response) {
      const { status, headers, text } = await pass(arrived, response)
      response.writeHead(status, headers)
      response.write(text.slice(0, text.length >> 1), () => response.destroy())
    },
    async double(arrived, response) {
      const [one] = await Promise.all([pass(arrived), pass(arrived)])
      give(response, one)
    },
    async delay(arrived, response) {
      await sleep(seed.between(1, DELAY_MS))
      give(response, await pass(arrived, response))
    },
    // The client has given up when this arrives, and may have called again.
    async hold(arrived, response) {
      await sleep(HOLD_MS)
      give(response, await pass(arrived))
    },
    async garble(arrived, response) {
      const { status, headers, text } = await pass(arrived, response)
      const { 'content-length': _, ...others } = headers
      response.writeHead(status, others).end(text.slice(1, -1).replaceAll('"', '?'))
    },
    limit: (_, response) =>
      refuse(response, 429, 'application/json', '{"error":{"code":"rate_limit_exceeded","message":"Too many."}}', {
        'Retry-After': '0',
      }),
    firewall: (_, response) => refuse(response, 403, 'text/html', '<h1>Blocked</h1>'),
    gateway: (_, response) => refuse(response, 502, 'text/html', '<h1>Bad gateway</h1>'),
  }

  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null)
    if (body === null) return
    const arrived = { method: request.method!, path: request.url!, headers: request.headers, body }
    const fault: Fault = seed.chance(faulty) ? seed.pick(faults) : 'none'
    counts[fault] += 1
    await Promise.resolve(work[fault](arrived, response)).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
