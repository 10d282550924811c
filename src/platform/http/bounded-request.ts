import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Pieces in which a body may come: so many, and one more for each `BYTES_A_PIECE`. The longest body, sent in the smallest packets
 * that networks make (536 bytes), has fewer.
 */
const PIECES_FREE = 1_024
const BYTES_A_PIECE = 1_024

/** Bytes that Node's parser is given at once: it hands over all that it was given, and a byte of a body may be a piece. */
const STEP_BYTES = 4_096

/** Bytes of a body, read or dropped, after which the connection is cut. Eight times what the longest body may have. */
const BYTES_MAX = 8 * 1024 * 1024
/** The same where people send files: a browser shows no answer before it has sent the whole of a file that is too large. */
const UPLOAD_BYTES_MAX = 64 * 1024 * 1024

/** Connections that are not read any more: what they still send is dropped. */
const ended = new WeakSet<Socket>()

/** Drops what a connection still sends, unparsed. It is to be closed after its answer. */
export function stopParsing(socket: Socket): void {
  ended.add(socket)
}

/** Has what a connection sends parsed in steps, so that it ends soon after a body is refused. Called when a connection comes. */
export function parseInSteps(socket: Socket): void {
  const parse = socket.listeners('data') as ((bytes: Buffer) => void)[]
  socket.removeAllListeners('data')
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && !ended.has(socket) && !socket.destroyed; at += STEP_BYTES) {
      const step = at === 0 && bytes.length <= STEP_BYTES ? bytes : bytes.subarray(at, at + STEP_BYTES)
      for (const take of parse) take(step)
    }
  })
}

/**
 * Node's request. It counts the pieces and bytes of its body as the parser hands them over, whether somebody reads them,
 * nobody does yet, or they are dropped after a refusal: each costs time, and memory as long as it waits, however short it is.
 */
export class BoundedRequest extends IncomingMessage {
  /** Its answer; set when the request arrives. */
  response: ServerResponse | null = null
  /** The body came in more pieces than we take. No more of it is read, and its connection closes after the answer. */
  crumbled = false
  /** Somebody sends a file, and is told on a page when it is too large. */
  dropsMore = false
  #pieces = 0
  #bytes = 0

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) return super.push(chunk, encoding)
    this.#bytes += chunk.length
    this.#pieces += 1
    if (this.#bytes > (this.dropsMore ? UPLOAD_BYTES_MAX : BYTES_MAX)) this.socket.destroy()
    else if (this.#pieces <= PIECES_FREE + this.#bytes / BYTES_A_PIECE) return super.push(chunk, encoding)
    else if (!this.crumbled) this.#crumble()
    return false
  }

  /** Drops what is still to come of a body that nobody reads. Node would drop it too, uncounted. */
  dropRest(): void {
    if (this.readableEnded) return
    const { headers } = this
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) this.resume()
  }

  #crumble(): void {
    this.crumbled = true
    stopParsing(this.socket)
    const response = this.response!
    response.shouldKeepAlive = false
    if (response.writableEnded) this.socket.destroySoon()
    else this.emit('crumbled')
  }
}
