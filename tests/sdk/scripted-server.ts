import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the server got it. */
export type Got = {
  method: string
  path: string
  key: string | undefined
  body: string
  authorization: string | undefined
}

/** The answer of the server to one request. */
export type Step = (response: ServerResponse) => void

/** Answers a JSON, as the service would. */
export function json(status: number, body: object, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Service-Request-Id': 'req-1', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** Answers a refusal. */
export const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  json(status, { error: { code, message: `About ${code}.` } }, headers)

/** Answers a page, as a firewall does. */
export const page = (status: number, headers: Record<string, string> = {}): Step => {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers })
    response.end('<h1>Access denied</h1>')
  }
}

/** Ends the connection without an answer. */
export const cut: Step = (response) => response.destroy()

/** Never answers. */
export const silence: Step = () => {}

/** A server that follows a script, one step a request; after the last step it repeats it. It has the answers that no test can make the service give. */
export async function openScripted(...steps: Step[]) {
  const got: Got[] = []
  const server = createServer((request, response) => {
    const step = steps[Math.min(got.length, steps.length - 1)]!
    const { method = '', url = '', headers } = request
    const entry = {
      ...{ method, path: url, body: '' },
      key: headers['idempotency-key'] as string | undefined,
      authorization: headers.authorization,
    }
    got.push(entry)
    request.setEncoding('utf8').on('data', (text: string) => {
      entry.body += text
    })
    request.on('end', () => step(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
