import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { machineMilliseconds } from '../../src/platform/clock.ts'

/** A request as received. A signature is over exactly these bytes. */
export type ReceivedRequest = {
  method: string
  /** The path with the query. */
  path: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, in the order and letter case of the request. */
  raw_headers: string[]
  body: Buffer
  /** The time of the last byte, in milliseconds since 1970 on this machine. */
  at: number
}

export type ScriptedAnswer = {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** The wait before the answer, in milliseconds. */
  delay_ms?: number
  /** `drop` cuts the connection instead of answering, `hang` never answers. */
  fault?: 'drop' | 'hang'
}

/** Returns the answer to the request with this rank, counted from 0. */
export type Script = (request: ReceivedRequest, rank: number) => ScriptedAnswer

export type Receiver = {
  /** The origin, such as http://127.0.0.1:41234. */
  url: string
  /** All requests so far, oldest first. */
  requests: ReceivedRequest[]
  /** Sets the script from the next request on. A receiver without a script answers 200. */
  answer(script: Script | ScriptedAnswer): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a merchant's web server on this machine. It records every request and answers by script.
 * @param port 0: any free port
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
