import type { BoundedRequest } from './bounded-request.ts'
import type { RequestContext } from './request-context.ts'

/** Bytes of the first buffer for a body that arrives in pieces. */
const FIRST_BUFFER_BYTES = 4_096

export type BodyRead =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  /** `cut_off`: the client left before the end. */
  | { readonly kind: 'too_long' | 'crumbled' | 'cut_off' }

/**
 * Reads the body of a request into one buffer. It is the only reader of bodies. It refuses a body as soon as it is known to be too long,
 * and drops the rest as it arrives: if we closed the connection at once, the client's system would discard our answer.
 * @param limit the most bytes
 */
export async function readBody(context: RequestContext, limit: number): Promise<BodyRead> {
  context.readingBody = true
  const read = await gather(context.request, limit)
  context.readingBody = false
  context.waitingSince = performance.now()
  return read
}

function gather(request: BoundedRequest, limit: number): Promise<BodyRead> {
  return new Promise((resolve) => {
    const announced = Number(request.headers['content-length'])
    let held: Buffer | null = null
    let length = 0
    let given_up = false
    const giveUp = (kind: 'too_long' | 'crumbled' | 'cut_off') => {
      given_up = true
      held = null
      resolve({ kind })
    }

    request.on('data', (piece: Buffer) => {
      if (given_up) return
      if (length + piece.length > limit) return giveUp('too_long')
      // Nearly every body arrives in one piece.
      held = piece.length === announced ? piece : append(held, length, piece, limit)
      length += piece.length
    })
    request.on('end', () => resolve({ kind: 'whole', bytes: held?.subarray(0, length) ?? Buffer.alloc(0) }))
    request.on('error', () => giveUp('cut_off'))
    request.on('crumbled', () => giveUp('crumbled'))
    if (request.crumbled) giveUp('crumbled')
    else if (announced > limit) giveUp('too_long')
  })
}

/** Appends a piece after the first `length` bytes of `held`. A full buffer is copied into one twice as large. */
function append(held: Buffer | null, length: number, piece: Buffer, limit: number): Buffer {
  const needed = length + piece.length
  let buffer = held
  if (buffer === null || buffer.length < needed) {
    buffer = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(FIRST_BUFFER_BYTES, 2 * needed)))
    held?.copy(buffer, 0, 0, length)
  }
  piece.copy(buffer, length)
  return buffer
}
