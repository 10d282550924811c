import { once } from 'node:events'
import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { judgeAddress, parseBlocks } from './address.ts'

/** Milliseconds until a connection is ready, with the tunnel through a proxy and TLS. */
const CONNECT_MS = 10_000

/**
 * Milliseconds for one address of a name before the next is tried. Node's own 250 never reach a name with several addresses over a line
 * with a handshake of a second. It leaves time for one lost packet, and for a second address.
 */
const ADDRESS_MS = 4_000

export type ConnectorOptions = {
  /** Trusted certificates as PEM, instead of those of the process. */
  ca?: string | undefined
  minVersion?: 'TLSv1.2'
  /** Finds the addresses of a name. Absent: the system does. */
  lookup?: LookupFunction | undefined
  /** The way through a proxy. Null: directly. */
  tunnel?: Tunnel | null
}

/** A proxy, and the host that it is to connect to, if this is not the host of the request. */
export type Tunnel = { proxy: URL; host?: string }

/** Opens connections for the HTTP client: HTTP/1.1, directly or through a proxy's tunnel, which only https uses. */
export function createConnector({ ca, lookup, tunnel = null, ...options }: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: CONNECT_MS,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    ...options,
    ...(lookup === undefined ? {} : { lookup }),
    ...(ca === undefined ? {} : { ca }),
  })
  return (target, done) => {
    if (tunnel === null || target.protocol !== 'https:') return connect(target, done)
    openTunnel(tunnel.proxy, tunnel.host ?? target.hostname, Number(target.port || 443)).then(
      (httpSocket) => connect({ ...target, httpSocket }, done),
      (error) => done(error, null),
    )
  }
}

/** The proxy gave no tunnel. The code says why, without a word of the proxy's answer. */
class ProxyRefused extends Error {
  override name = 'ProxyRefused'
  readonly code: string

  constructor(code: string) {
    super(`The proxy opened no tunnel (${code}).`)
    this.code = code
  }
}

/** Asks a proxy for a connection to a host (RFC 9110, 9.3.6). */
async function openTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const to = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const { username, password } = proxy
  const asked: ClientRequest = (proxy.protocol === 'https:' ? requestHttps : requestHttp)(proxy, {
    method: 'CONNECT',
    path: to,
    agent: false,
    auth: undefined,
    timeout: CONNECT_MS,
    headers: {
      host: to,
      ...(username === '' ? {} : { 'proxy-authorization': basic(username, password) }),
    },
  })
  asked.once('timeout', () => asked.destroy(new ProxyRefused('PROXY_TIMEOUT')))
  // A proxy that answers a CONNECT like another request gives no tunnel.
  asked.once('response', ({ statusCode }) => asked.destroy(new ProxyRefused(`PROXY_ANSWERED_${statusCode}`)))
  const connected = once(asked, 'connect')
  asked.end()
  const [answer, socket, first] = (await connected.catch((error) => {
    throw error instanceof ProxyRefused ? error : new ProxyRefused(`PROXY_${error.code ?? 'UNREACHABLE'}`)
  })) as [{ statusCode: number }, Socket, Buffer]
  if (answer.statusCode !== 200 || first.length > 0) {
    socket.destroy()
    throw new ProxyRefused(`PROXY_ANSWERED_${answer.statusCode}`)
  }
  socket.setTimeout(0)
  return socket
}

function basic(username: string, password: string): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** A proxy for calls that leave the company's network, and the hosts that are inside of it. */
export type ProxySettings = {
  readonly url: URL
  /** Names, `.ends` of names, and address blocks that are called directly. */
  readonly except: readonly string[]
}

/** The proxy for a host. Null: it is this machine, or one of the exceptions. */
export function proxyFor(settings: ProxySettings | null, hostname: string): URL | null {
  if (settings === null) return null
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (host === 'localhost') return null
  const blocks = settings.except.filter((one) => isIP(one.split('/')[0]!) !== 0)
  if (isIP(host) !== 0) {
    return judgeAddress(host, parseBlocks([...blocks, '127.0.0.0/8', '::1'])) === 'allowed' ? null : settings.url
  }
  return settings.except.some((one) => host === one || (one.startsWith('.') && host.endsWith(one)))
    ? null
    : settings.url
}
