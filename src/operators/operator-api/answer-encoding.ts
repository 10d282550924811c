import type { IncomingHttpHeaders } from 'node:http'
import type { Words } from '../../values/language.ts'

/** The encodings besides UTF-8 that a server may name, as `TextDecoder` knows them. */
const named = /^(?:utf-16(?:le|be)?|iso-8859-1|iso-8859-15|latin1|windows-1252|us-ascii)$/

/**
 * Returns the bytes of an answer as UTF-8 without a mark. A server behind a proxy may write its answer in the encoding that its `charset` names,
 * or begin it with a mark, and it is JSON all the same.
 */
export function inUtf8(bytes: Buffer, headers: IncomingHttpHeaders): Buffer {
  const [, charset = ''] = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(headers['content-type'] ?? '') ?? []
  const label = encodingByMark(bytes) ?? charset.toLowerCase()
  if (label === 'utf-8') return bytes.subarray(3)
  if (!named.test(label)) return bytes
  // The decoder drops the mark of UTF-16.
  return Buffer.from(new TextDecoder(label).decode(bytes))
}

function encodingByMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

/** The name of the compression of an answer, although we ask for none. Null when it is not compressed. */
export function compressionOf(bytes: Buffer, headers: IncomingHttpHeaders): string | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip'
  const said = String(headers['content-encoding'] ?? '').toLowerCase()
  return bytes.length > 0 && /^(?:gzip|x-gzip|br|deflate|zstd|compress)$/.test(said) ? said : null
}

/** Why an answer cannot be read, for a check. Null when its form is not the reason. */
export function compressedWords({
  compressed: name,
}: {
  readonly kind: string
  readonly compressed?: string
}): Words | null {
  if (name === undefined) return null
  return [
    `base_url a répondu en ${name}, alors que nous n’en demandons pas : un proxy sur le chemin comprime les réponses. Il faut l’en empêcher.`,
    `base_url answered in ${name}, although we asked for none: a proxy on the way compresses answers. It must leave them as they are.`,
  ]
}
