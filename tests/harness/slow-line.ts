import type { Socket } from 'node:net'

/** The interval between two pieces. */
const PIECE_EVERY_MS = 20

/**
 * Writes bytes on a connection as a slow line carries them: as many as are due since the beginning, so that a pause of this process is caught up.
 * @returns a function that stops the line
 */
export function writeSlowly(socket: Socket, bytes: Buffer, bytes_a_second: number): () => void {
  const began = performance.now()
  let sent = 0
  const line = setInterval(() => {
    const due = Math.min(bytes.length, Math.floor(((performance.now() - began) * bytes_a_second) / 1_000))
    if (due > sent && !socket.destroyed) socket.write(bytes.subarray(sent, due))
    sent = due
    if (sent === bytes.length) clearInterval(line)
  }, PIECE_EVERY_MS)
  return () => clearInterval(line)
}
