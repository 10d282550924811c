import type { ServerResponse } from 'node:http'

/** Bytes that a client takes in each second, measured over a window. The slowest mobile networks carry twice as many. */
const LEAST_BYTES_A_SECOND = 4_000

/** The looks in a window. */
const LOOKS = 30

/**
 * Watches a body that is made while it is sent, because it holds a connection of the database until its client has read it. Only the time in
 * which the client is behind counts, so that a slow database cuts nobody. A byte counts as taken when the kernel has it, which takes some
 * hundred kB at once: over less than half a minute a good client may seem to take nothing.
 * @param window_ms the window over which the client is measured
 * @param onSlow called once, when the client took too little in a window
 */
export function watchDownload(response: ServerResponse, window_ms: number, onSlow: (error: Error) => void): void {
  const least = (LEAST_BYTES_A_SECOND * window_ms) / 1_000
  /** The bytes taken until each of the last looks at which the client was behind. */
  const taken: number[] = []
  const watch = setInterval(() => {
    const { socket, writableNeedDrain } = response
    if (socket === null || !writableNeedDrain) return
    taken.push(socket.bytesWritten - socket.writableLength)
    if (taken.length <= LOOKS) return
    if (taken.at(-1)! - taken.shift()! >= least) return
    clearInterval(watch)
    onSlow(new Error(`The client took less than ${LEAST_BYTES_A_SECOND} bytes a second.`))
  }, window_ms / LOOKS)
  response.once('close', () => clearInterval(watch))
}
