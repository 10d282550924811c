import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Milliseconds that requests under way get to be answered. */
const ANSWERING_TIME_MS = 8_500
/** Milliseconds that clients get at most to leave after that, by the `Connection: close` of their last answer. A busy client may be late. */
const LEAVING_TIME_MS = 2_000
/** Milliseconds for both together, so that a second is always left to leave in. */
const STOPPING_TIME_MS = 9_500
const LOOK_EVERY_MS = 20

/**
 * Ends a server without failing anyone who was in time: no new connection, requests under way are answered, and an idle
 * client gets a moment to send the request it may be writing right now, instead of finding its connection cut under it.
 */
export async function drain(server: Server, underWay: () => number): Promise<void> {
  // Not the HTTP server's own close(), which would cut idle connections at once.
  NetServer.prototype.close.call(server)
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

function connections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}

async function until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
  for (let waited = 0; waited < milliseconds && !(await condition()); waited += LOOK_EVERY_MS) await wait(LOOK_EVERY_MS)
}
