import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

/** Milliseconds in which requests in progress are answered. */
const ANSWERING_TIME_MS = 8_500
/** The most milliseconds after that in which clients close their connections, as `Connection: close` of their last answer asks. */
const LEAVING_TIME_MS = 2_000
/** The most milliseconds for both together, so that clients always have a second to close. */
const STOPPING_TIME_MS = 9_500
const LOOK_EVERY_MS = 20
/** A turn of the event loop that takes fewer milliseconds is idle. */
const IDLE_TURN_MS = 0.1
/** The most milliseconds in which a busy process accepts its last connections. */
const ACCEPTING_TIME_MS = 200

/**
 * Closes the connections of a server that no longer listens. It first answers the requests in progress, and gives idle clients a moment,
 * because one of them may be sending a request right now.
 */
export async function drain(server: Server, underWay: () => number): Promise<void> {
  const began = performance.now()
  const isAnswered = async () => underWay() === 0
  const left = () => STOPPING_TIME_MS - (performance.now() - began)
  await until(isAnswered, ANSWERING_TIME_MS)
  await until(async () => (await connections(server)) === 0, Math.min(LEAVING_TIME_MS, left()))
  // A request that arrived at the last moment is answered too.
  server.closeIdleConnections()
  await until(isAnswered, left())
  server.closeAllConnections()
  server.close()
}

/**
 * Stops listening. First it accepts the connections in the system's queue: closing the listening socket would reset them, although their
 * clients have sent a request. It stops after a short turn of the event loop without a new connection, because then the queue is nearly
 * empty. Until then answers must keep their connections open, because a client whose connection closes opens a new one.
 */
export async function stopListening(server: Server): Promise<void> {
  let came = false
  const note = () => {
    came = true
  }
  server.on('connection', note)
  // The first turn may already have accepted its connections.
  await turn()
  const began = performance.now()
  for (let turned = began, idle = false; !idle && turned - began < ACCEPTING_TIME_MS; ) {
    came = false
    await turn()
    const now = performance.now()
    idle = !came && now - turned < IDLE_TURN_MS
    turned = now
  }
  server.off('connection', note)
  // Not the HTTP server's own close(), which would cut idle connections at once.
  NetServer.prototype.close.call(server)
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}

async function until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds
  while (performance.now() < end && !(await condition())) await wait(LOOK_EVERY_MS)
}
