import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The most pieces of a body: `PIECES_FREE`, and one more for each `BYTES_A_PIECE` bytes. The longest body in the smallest packets
 * of a network (536 bytes) has fewer.
 */
const PIECES_FREE = 1_024
const BYTES_A_PIECE = 512

/** Bytes that Node's parser gets at once. It emits every piece of its input, and a piece may be a single byte. */
const STEP_BYTES = 4_096

/** Bytes of a body, read or dropped, after which the connection is cut: eight times the longest body. */
const BYTES_MAX = 8 * 1024 * 1024
/** The same for uploads of files: a browser shows no answer before it has sent the whole file, however large. */
const UPLOAD_BYTES_MAX = 64 * 1024 * 1024

/** Connections whose further bytes are dropped. */
const ended = new WeakSet<Socket>()

/** Drops the further bytes of a connection, unparsed. The caller closes the connection after its answer. */
export function stopParsing(socket: Socket): void {
  ended.add(socket)
}

/**
 * Parses the bytes of a new connection in small steps, so that parsing ends soon after a body is refused. While the socket flows, bytes go to
 * the parser directly: on the way through the stream each read would cost a turn of the event loop's queue and some hundred bytes more.
 */
export function parseInSteps(socket: Socket): void {
  const parse = socket.listeners('data') as ((bytes: Buffer) => void)[]
  const take = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length && !ended.has(socket) && !socket.destroyed; at += STEP_BYTES) {
      const step = at === 0 && bytes.length <= STEP_BYTES ? bytes : bytes.subarray(at, at + STEP_BYTES)
      for (const read of parse) read(step)
    }
  }
  socket.removeAllListeners('data')
  socket.on('data', take)
  const push = socket.push.bind(socket)
  socket.push = (bytes: Buffer | null, encoding?: BufferEncoding) => {
    if (bytes === null || socket.readableFlowing !== true || socket.readableLength > 0) return push(bytes, encoding)
    take(bytes)
    return true
  }
}

/**
 * Node's request, with a count of the pieces and bytes of its body. It counts each when the parser emits it, whether it is read, waits, or
 * is dropped after a refusal, because every piece costs time, and memory while it waits, however short it is.
 */
export class BoundedRequest extends IncomingMessage {
  /** Its answer; set when the request arrives. */
  response: ServerResponse | null = null
  /** The body has too many pieces. The service reads no more of it, and closes the connection after the answer. */
  crumbled = false
  /** The body is an uploaded file. If it is too large, a page says so. */
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

  /** The bytes of the body so far, read or dropped. */
  get bytesArrived(): number {
    return this.#bytes
  }

  /** Drops the rest of a body that no handler reads. Node would drop it too, without counting it. */
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
