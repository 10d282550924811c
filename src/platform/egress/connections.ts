import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { canonicalAddress } from './address.ts'
import type { VettedTarget } from './guard.ts'

/** A connection that ended up at an address nobody vetted. It was closed before a byte of the request was written. */
export class UnvettedAddress extends Error {
  override name = 'UnvettedAddress'
  readonly code = 'UNVETTED_ADDRESS'
}

const ORIGINS_MAX = 256
const CONNECTIONS_PER_ORIGIN_MAX = 128
const CONNECT_TIMEOUT_MS = 10_000
/** Below the five seconds after which common servers hang up, so that we rarely write into a closing connection. */
const IDLE_MS = 4_000

type Origin = {
  pool: Pool
  /** What may be dialled now; renewed by every request. */
  vetted: readonly string[]
  /** Where the open connections lead, and how many to each. */
  remotes: Map<string, number>
}

export type Connections = {
  /** Connections to the target that lead to its vetted addresses only. `reused`: some may be open already. */
  to(target: VettedTarget): { pool: Pool; reused: boolean }
  /** Leaves the open connections to a target to finish what they do, and makes new ones from now on. */
  forget(target: VettedTarget): void
  close(): Promise<void>
}

/**
 * Keeps connections open between requests to one place, a few seconds. They are used again only while every one of them
 * leads to an address that was vetted for this very request; when the name has moved, all are replaced.
 */
export function createConnections({ ca }: { ca?: string | undefined }): Connections {
  const origins = new Map<string, Origin>()

  function forgetOrigin(key: string): void {
    const origin = origins.get(key)
    origins.delete(key)
    origin?.pool.close().catch(() => {})
  }

  function open(target: VettedTarget): Origin {
    const remotes = new Map<string, number>()
    const origin: Origin = { pool: undefined as never, vetted: target.addresses, remotes }
    origin.pool = new Pool(target.url.origin, {
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: 60_000,
      maxHeaderSize: 16_384,
      // The deadline over the whole attempt ends these waits.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectorTo(origin, ca),
    })
    return origin
  }

  return {
    to(target) {
      const key = target.url.origin
      let origin = origins.get(key)
      if (origin !== undefined && !leadsOnlyTo(origin, target.addresses)) {
        forgetOrigin(key)
        origin = undefined
      }
      const reused = origin !== undefined
      origin ??= open(target)
      origin.vetted = target.addresses
      // Taken out first, so that the head of the map is the origin used longest ago.
      origins.delete(key)
      origins.set(key, origin)
      if (origins.size > ORIGINS_MAX) forgetOrigin(origins.keys().next().value as string)
      return { pool: origin.pool, reused }
    },
    forget: (target) => forgetOrigin(target.url.origin),
    async close() {
      const pools = [...origins.values()].map(({ pool }) => pool)
      origins.clear()
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}

function leadsOnlyTo(origin: Origin, addresses: readonly string[]): boolean {
  return [...origin.remotes.keys()].every((remote) => addresses.includes(remote))
}

/**
 * Dials exactly the vetted addresses; the name is still what the certificate must prove and what `Host` says. A literal
 * address never reaches `lookup`, therefore the remote end is compared once more when the connection stands.
 */
function connectorTo(origin: Origin, ca: string | undefined): buildConnector.connector {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: (_name, options, callback) => {
      const found = origin.vetted.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      if (options.all === true) callback(null, found)
      else callback(null, found[0]!.address, found[0]!.family)
    },
    ...(ca === undefined ? {} : { ca }),
  })
  return (options, callback) => {
    connect(options, (...outcome) => {
      const [error, socket] = outcome
      if (error !== null) return callback(error, null)
      const remote = canonicalAddress(socket.remoteAddress ?? '')
      if (remote === null || !origin.vetted.includes(remote)) {
        socket.destroy()
        return callback(new UnvettedAddress('The connection leads elsewhere.'), null)
      }
      countRemote(origin.remotes, remote, socket)
      callback(null, socket)
    })
  }
}

function countRemote(remotes: Map<string, number>, remote: string, socket: Socket): void {
  remotes.set(remote, (remotes.get(remote) ?? 0) + 1)
  socket.once('close', () => {
    const left = (remotes.get(remote) ?? 1) - 1
    if (left > 0) remotes.set(remote, left)
    else remotes.delete(remote)
  })
}
