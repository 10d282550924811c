import type { Socket } from 'node:net'
import { Agent, type buildConnector, Client, type Dispatcher } from 'undici'
import { canonicalAddress } from './address.ts'
import { createConnector } from './connector.ts'
import type { Guard } from './guard.ts'

/** A connection led to an unchecked address. We did not make it, or closed it before we wrote a byte of the request. */
class UnvettedAddress extends Error {
  override name = 'UnvettedAddress'
  readonly code = 'UNVETTED_ADDRESS'
}

/** A connection lasts a minute at most, so that a changed name takes effect. Idle ones close before common servers close them (five seconds). */
const KEPT = { connections: 128, clientTtl: 60_000, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 60_000 }

export type Connections = {
  /** Sends over a connection to an origin. The address of an open connection was checked when it was made. */
  kept: Dispatcher
  /** Whether a connection to this origin is open. */
  isOpen(origin: string): boolean
  /** Opens a separate connection, which the caller closes. */
  fresh(origin: string): Dispatcher
  /** Closes every connection, also one in use. */
  close(): Promise<void>
}

type ConnectionsOptions = {
  vet: Guard
  ca?: string | undefined
  /** The proxy for addresses that are not in EGRESS_ALLOW. Null: none. */
  proxy: URL | null
}

/**
 * Connections that stay open for a few seconds between requests to one origin. The address of each is checked when it is made, although the
 * guard has checked the name before, because the name may have changed in between.
 */
export function createConnections({ vet, ca, proxy }: ConnectionsOptions): Connections {
  const open = new Map<string, number>()

  /**
   * Connects only to the checked addresses; the certificate must still match the name, which `Host` contains too. A literal IP address never
   * reaches `lookup`, so the remote address is checked again once the connection is open. A proxy gets a checked address instead of the
   * name, so that it decides nothing.
   */
  async function dial(options: buildConnector.Options): Promise<Socket> {
    const origin = `${options.protocol}//${options.host}`
    const target = await vet(origin, false)
    if (target.kind === 'refused') throw new UnvettedAddress('The address is refused.')
    const found = target.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const through = target.inside ? null : proxy
    const connect = createConnector({
      ca,
      lookup: (_name, { all }, done) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      tunnel: through === null ? null : { proxy: through, host: target.addresses[0]! },
    })
    const socket = await new Promise<Socket>((resolve, reject) => {
      connect(options, (error, socket) => (error === null ? resolve(socket!) : reject(error)))
    })
    if (through === null && !target.addresses.includes(canonicalAddress(socket.remoteAddress ?? '') ?? '')) {
      socket.destroy()
      throw new UnvettedAddress('The connection leads elsewhere.')
    }
    open.set(origin, (open.get(origin) ?? 0) + 1)
    socket.once('close', () => {
      const left = open.get(origin)! - 1
      if (left > 0) open.set(origin, left)
      else open.delete(origin)
    })
    return socket
  }

  const settings = {
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: 16_384,
    // The deadline of the whole attempt ends these waits.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options: buildConnector.Options, callback: buildConnector.Callback) => {
      void dial(options).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      )
    },
  }
  const kept = new Agent({ ...KEPT, ...settings })
  return {
    kept,
    isOpen: (origin) => open.has(origin),
    fresh: (origin) => new Client(origin, settings),
    close: () => kept.destroy(),
  }
}
