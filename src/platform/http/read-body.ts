import type { IncomingMessage } from 'node:http'

/** Bytes of an unwanted body that we read and drop after the refusal, so that the client gets to read it. */
const DROPPED_BYTES_MAX = 8 * 1024 * 1024

/**
 * Reads a body of at most `limit` bytes. Null: it is longer, which is said as soon as it is known, or the client left
 * before its end. The rest of a body that is too long is dropped as it comes, because closing at once would make the
 * client's system throw our answer away; past a bound the connection is cut.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let first: Buffer | null = null
    let more: Buffer[] | null = null
    let received = 0
    let tooLong = Number(request.headers['content-length']) > limit
    if (tooLong) resolve(null)

    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (tooLong) {
        if (received > DROPPED_BYTES_MAX) request.socket.destroy()
      } else if (received > limit) {
        tooLong = true
        first = more = null
        resolve(null)
      } else if (first === null) first = chunk
      else if (more === null) more = [first, chunk]
      else more.push(chunk)
    })
    request.on('end', () => resolve(more === null ? (first ?? Buffer.alloc(0)) : Buffer.concat(more, received)))
    request.on('error', () => resolve(null))
  })
}
