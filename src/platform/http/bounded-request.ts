import { IncomingMessage, type ServerResponse } from 'node:http'

/** Pieces in which a body may come. The longest body, sent in the smallest packets that networks make, has fewer. */
export const PIECES_MAX = 2_048

/** Bytes of a body, read or dropped, after which the connection is cut. Eight times what the longest body may have. */
const BYTES_MAX = 8 * 1024 * 1024

/**
 * Node's request. It counts the pieces and bytes of its body as the parser hands them over, whether somebody reads them,
 * nobody does yet, or they are dropped after a refusal: each costs time, and memory as long as it waits, however short it is.
 */
export class BoundedRequest extends IncomingMessage {
  /** Its answer; set when the request arrives. */
  response: ServerResponse | null = null
  /** The body came in more pieces than we take. No more of it is read, and its connection closes after the answer. */
  crumbled = false
  /** Told when that happens. */
  onCrumbled: (() => void) | null = null
  #pieces = 0
  #bytes = 0

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) return super.push(chunk, encoding)
    this.#bytes += chunk.length
    this.#pieces += 1
    if (this.#bytes > BYTES_MAX) this.socket.destroy()
    else if (this.#pieces <= PIECES_MAX) return super.push(chunk, encoding)
    else if (!this.crumbled) this.#crumble()
    // Node stops to read the socket; what it has read already, it still hands over.
    return false
  }

  /** Drops what is still to come of a body that nobody reads. Node would drop it too, uncounted. */
  dropRest(): void {
    const { headers } = this
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) this.resume()
  }

  #crumble(): void {
    this.crumbled = true
    const response = this.response!
    response.shouldKeepAlive = false
    if (response.writableEnded) this.socket.destroySoon()
    else this.onCrumbled?.()
  }
}
