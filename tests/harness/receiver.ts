import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { machineMilliseconds } from '../../src/platform/clock.ts'

/** A request as it came in: a signature is over these bytes and no others. */
export type ReceivedRequest = {
  method: string
  /** With the query. */
  path: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, in the order and the case they were sent in. */
  raw_headers: string[]
  body: Buffer
  /** Milliseconds since 1970 on this machine, when the last byte was in. */
  at: number
}

export type ScriptedAnswer = {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** Wait before the answer. */
  delay_ms?: number
  /** `drop` cuts the connection instead of answering, `hang` never answers. */
  fault?: 'drop' | 'hang'
}

/** Says what to answer to the request with this rank, counted from 0. */
export type Script = (request: ReceivedRequest, rank: number) => ScriptedAnswer

export type Receiver = {
  /** Such as http://127.0.0.1:41234, without a path. */
  url: string
  /** All that came in so far, oldest first. */
  requests: ReceivedRequest[]
  /** From the next request on. A receiver without a script answers 200. */
  answer(script: Script | ScriptedAnswer): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A merchant's web server on this machine: it keeps every request and answers by script.
 * @param port 0: any that is free
 */
export async function startReceiver(script: Script | ScriptedAnswer = {}, { port = 0 } = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  let current = script
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => {})
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        raw_headers: incoming.rawHeaders,
        body: Buffer.concat(chunks),
        at: machineMilliseconds(),
      }
      const rank = requests.push(request) - 1
      give(outgoing, typeof current === 'function' ? current(request, rank) : current)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(next) {
      current = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function give(outgoing: ServerResponse, answer: ScriptedAnswer): void {
  const { status = 200, headers = {}, body = '', delay_ms = 0, fault } = answer
  if (fault === 'hang') return
  setTimeout(() => {
    if (fault === 'drop') outgoing.destroy()
    else outgoing.writeHead(status, headers).end(body)
  }, delay_ms)
}
