import { timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from '../../platform/hmac.ts'
import { type Tenant, tenantKey } from '../../values/caller.ts'
import type { Position } from './position.ts'

/** Bytes of the code that authenticates a cursor, and the letters in which they are written. */
const MAC_BYTES = 16
const MAC_LETTERS = 22

/** Writes and reads the cursors of the feed. */
export type Cursors = {
  write(tenant: Tenant, position: Position): string
  /** Null: the text is no cursor of this merchant and mode. */
  read(tenant: Tenant, text: string): Position | null
}

/** Whether a text has the form of a cursor. */
export function looksLikeCursor(text: string): boolean {
  return /^[0-9A-Za-z_-]{24,200}$/.test(text)
}

/**
 * Makes the cursors of an installation. A cursor is authenticated together with its merchant and mode: nobody makes one up, and one of another
 * merchant is refused.
 * @param key derived from the secret key, so that all processes and restored copies take the same cursors
 */
export function createCursors(key: Buffer): Cursors {
  const hmac = hmacSha256(key)
  const macOf = (tenant: Tenant, written: string) =>
    hmac(`${tenantKey(tenant)} ${written}`)
      .subarray(0, MAC_BYTES)
      .toString('base64url')
  return {
    write(tenant, { epoch, tx, id }) {
      const written = Buffer.from(`${epoch}.${tx}.${id}`).toString('base64url')
      return `${written}${macOf(tenant, written)}`
    },
    read(tenant, text) {
      const written = text.slice(0, -MAC_LETTERS)
      const sent = Buffer.from(text.slice(-MAC_LETTERS))
      const right = Buffer.from(macOf(tenant, written))
      if (sent.length !== right.length || !timingSafeEqual(sent, right)) return null
      const [epoch, tx, id] = Buffer.from(written, 'base64url').toString().split('.')
      return { epoch: Number(epoch), tx: tx!, id: id! }
    },
  }
}
