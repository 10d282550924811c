import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { createEgress, type EgressOptions } from '../../src/platform/egress/post.ts'
import type { TestCertificate } from './certificate.ts'

/** Opens the egress to this machine, with a short deadline. It is closed at the end of the test. */
export function openEgress(t: TestContext, options: Partial<EgressOptions> = {}) {
  const egress = createEgress({ allow: ['127.0.0.0/8'], ...options })
  t.after(() => egress.close())
  const post = (url: string, more: { livemode?: boolean; deadline_ms?: number } = {}) =>
    egress.post({
      url,
      body: '{"hello":"é"}',
      headers: { 'x-test': 'yes' },
      livemode: false,
      deadline_ms: 2_000,
      ...more,
    })
  return { ...egress, post }
}

/** Starts a server that calls `behave` for each connection, and counts connections and request bytes. */
export async function listen(
  t: TestContext,
  behave: (socket: Socket) => void,
  { host = '127.0.0.1', port = 0, tls }: { host?: string; port?: number; tls?: TestCertificate } = {},
) {
  const sockets = new Set<Socket>()
  const seen = { connections: 0, received: '', names: [] as string[] }
  const accept = (socket: Socket | TLSSocket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      seen.received += data
    })
    if ('servername' in socket) seen.names.push(String(socket.servername))
    behave(socket)
  }
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer({ ...tls }, accept)
  server.on('connection', () => {
    seen.connections += 1
  })
  server.on('tlsClientError', () => {})
  server.listen(port, host)
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { seen, port: (server.address() as AddressInfo).port }
}

/** Answers each complete request with these bytes. */
export const answering = (answer: string) => (socket: Socket) => {
  socket.on('data', (data) => {
    if (data.toString().includes('"hello"')) socket.write(answer)
  })
}
export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
