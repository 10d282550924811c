import type { Socket } from 'node:net'
import { Agent, buildConnector, Client, type Dispatcher } from 'undici'
import { canonicalAddress } from './address.ts'
import type { Guard } from './guard.ts'

/** A connection to an address that nobody vetted. It was not made, or closed before a byte of the request was written. */
class UnvettedAddress extends Error {
  override name = 'UnvettedAddress'
  readonly code = 'UNVETTED_ADDRESS'
}

/** A name that moved is followed after a minute. Idle ones go before common servers hang up (five seconds). */
const KEPT = { connections: 128, clientTtl: 60_000, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 60_000 }
const CONNECT_TIMEOUT_MS = 10_000

export type Connections = {
  /** Sends over any connection to an origin; those that are open lead to an address that was vetted when it was dialled. */
  kept: Dispatcher
  /** Whether a connection to this origin is open. */
  isOpen(origin: string): boolean
  /** A connection of one's own, to be closed by who asked for it. */
  fresh(origin: string): Dispatcher
  /** Ends every connection, with what is under way on it. */
  close(): Promise<void>
}

/**
 * Connections that stay open between requests to one place for a few seconds. Each is vetted when it is made, whatever was
 * vetted before the request, because the name may have moved in between.
 */
export function createConnections({ vet, ca }: { vet: Guard; ca?: string | undefined }): Connections {
  const open = new Map<string, number>()

  /**
   * Dials exactly the vetted addresses; the name is still what the certificate must prove and what `Host` says. A literal
   * address never reaches `lookup`, therefore the remote end is compared once more when the connection stands.
   */
  async function dial(options: buildConnector.Options): Promise<Socket> {
    const origin = `${options.protocol}//${options.host}`
    const target = await vet(origin, false)
    if (target.kind === 'refused') throw new UnvettedAddress('The address is refused.')
    const found = target.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const connect = buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      lookup: (_name, { all }, done) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      ...(ca === undefined ? {} : { ca }),
    })
    const socket = await new Promise<Socket>((resolve, reject) => {
      connect(options, (error, socket) => (error === null ? resolve(socket!) : reject(error)))
    })
    if (!target.addresses.includes(canonicalAddress(socket.remoteAddress ?? '') ?? '')) {
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
    // The deadline over the whole attempt ends these waits.
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
