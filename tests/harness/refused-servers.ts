import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { ConnectionFailure } from '../../src/platform/egress/connection-failure.ts'
import { createAuthority, createCertificate } from './certificate.ts'
import { freePort } from './free-port.ts'

/** The name under which each server is called. */
export const CALLED = 'shop.test'

const root = createAuthority('root')
const between = createAuthority('between', root)
const stranger = createAuthority('stranger')
const betweenStrangers = createAuthority('between strangers', stranger)

/** The authority that the client trusts. */
export const trusted = root.cert

type Behaviour = { tls: { key: string; cert: string } } | { plain: (socket: Socket) => void } | { nobody: true }

const chain = (leaf: { key: string; cert: string }, ...above: { cert: string }[]) => ({
  tls: { key: leaf.key, cert: [leaf, ...above].map(({ cert }) => cert).join('') },
})

/** Servers that cannot be called, with the cause that a client must tell. */
export const refusedServers: readonly { what: string; is: Behaviour; cause: ConnectionFailure }[] = [
  {
    what: 'a chain of an unknown authority',
    is: chain(createCertificate([CALLED], [-1, 1], betweenStrangers), betweenStrangers),
    cause: 'certificate_unknown_authority',
  },
  {
    what: 'an unknown authority that is sent too',
    is: chain(createCertificate([CALLED], [-1, 1], stranger), stranger),
    cause: 'certificate_unknown_authority',
  },
  {
    what: 'a missing intermediate certificate',
    is: chain(createCertificate([CALLED], [-1, 1], between)),
    cause: 'certificate_incomplete',
  },
  {
    what: 'only the certificate of an unknown authority',
    is: chain(createCertificate([CALLED], [-1, 1], stranger)),
    cause: 'certificate_incomplete',
  },
  { what: 'a self-signed certificate', is: chain(createCertificate([CALLED])), cause: 'certificate_self_signed' },
  {
    what: 'an expired certificate',
    is: chain(createCertificate([CALLED], [-30, -2], between), between),
    cause: 'certificate_expired',
  },
  {
    what: 'a certificate of the future',
    is: chain(createCertificate([CALLED], [2, 30], between), between),
    cause: 'certificate_not_yet_valid',
  },
  {
    what: 'the certificate of another name',
    is: chain(createCertificate(['other.test'], [-1, 1], between), between),
    cause: 'certificate_other_name',
  },
  {
    what: 'plain http',
    is: {
      plain: (socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')),
    },
    cause: 'no_tls',
  },
  { what: 'a hang-up', is: { plain: (socket) => socket.end() }, cause: 'connection_closed' },
  { what: 'a reset', is: { plain: (socket) => socket.resetAndDestroy() }, cause: 'connection_closed' },
  { what: 'a closed port', is: { nobody: true }, cause: 'connection_refused' },
]

/** A server that can be called. */
export const goodServer = chain(createCertificate([CALLED], [-1, 1], between), between)

/** Starts the server on 127.0.0.1 and returns its port. @param take what a connection with a good certificate does */
export async function startRefused(is: Behaviour, take: (socket: Socket) => void = () => {}) {
  if ('nobody' in is) return { port: await freePort(), async [Symbol.asyncDispose]() {} }
  const sockets = new Set<Socket>()
  const keep = (meet: (socket: Socket) => void) => (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    meet(socket)
  }
  const server: Server = 'tls' in is ? createTlsServer(is.tls, keep(take)) : createServer(keep(is.plain))
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
