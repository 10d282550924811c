import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

/** Milliseconds that requests under way get to be answered. */
const ANSWERING_TIME_MS = 8_500
/** Milliseconds that clients get at most to leave after that, by the `Connection: close` of their last answer. A busy client may be late. */
const LEAVING_TIME_MS = 2_000
/** Milliseconds for both together, so that a second is always left to leave in. */
const STOPPING_TIME_MS = 9_500
const LOOK_EVERY_MS = 20
/** A turn of the event loop in fewer milliseconds was an idle one. */
const IDLE_TURN_MS = 0.1
/** Milliseconds within which a busy process takes its last connections. */
const ACCEPTING_TIME_MS = 200

/**
 * Ends a server that listens no more, without failing anyone who was in time: requests under way are answered, and an idle client gets a moment to send the request it may be writing right now, instead of finding its connection cut under it.
 */
export async function drain(server: Server, underWay: () => number): Promise<void> {
  const began = performance.now()
  const isAnswered = async () => underWay() === 0
  const left = () => STOPPING_TIME_MS - (performance.now() - began)
  await until(isAnswered, ANSWERING_TIME_MS)
  await until(async () => (await connections(server)) === 0, Math.min(LEAVING_TIME_MS, left()))
  // A request that came in the last of these moments is answered too.
  server.closeIdleConnections()
  await until(isAnswered, left())
  server.closeAllConnections()
  server.close()
}

/**
 * Ends listening. First it takes the connections that the system holds for us, which closing the listening socket would reset although their
 * clients have sent a request. A turn of the event loop in which none came leaves hardly any; a long one could have let more wait. Until
 * then answers must keep their connections: clients that are told to leave come back with new ones.
 */
export async function stopListening(server: Server): Promise<void> {
  let came = false
  const note = () => {
    came = true
  }
  server.on('connection', note)
  // The first turn may already be behind the look at the sockets.
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
  for (let waited = 0; waited < milliseconds && !(await condition()); waited += LOOK_EVERY_MS) await wait(LOOK_EVERY_MS)
}
