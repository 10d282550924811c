import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/**
 * The range of ports: below those of outgoing connections, one of which could take a port first, and above 10080, the last port that
 * `fetch` and browsers refuse to call.
 */
const PORTS = { from: 10_100, to: 20_000 }

/** The ports beyond, for programs beside the tests, which take theirs late. */
export const BESIDE = { from: 20_000, to: 30_000 }

/** Returns a free port of this machine outside the range that the system assigns by itself. No other file of the run gets the same. */
export async function freePort({ from, to } = PORTS): Promise<number> {
  for (;;) {
    const port = randomInt(from, to)
    if (isOurs(port) && (await isFree(port))) return port
  }
}

/** Takes a port for this file, in the run's folder of the ports that were given. A port is free until its server starts, which takes a second. */
function isOurs(port: number): boolean {
  const folder = process.env.TEST_PORTS
  if (folder === undefined) return true
  try {
    closeSync(openSync(join(folder, String(port)), 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
