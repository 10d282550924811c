import { randomInt } from 'node:crypto'
import { sha256 } from '../../platform/digest.ts'

/** No vowels, so that no code is a word, and no letter that reads as a figure (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

/** A new code as people read it: `WDJB-MJHT`. */
export function newTerminalCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
}

/** The hash under which a code is kept, however it was typed: small letters, spaces and a missing hyphen are the same code. */
export function hashOfTerminalCode(typed: string): Buffer {
  return sha256(typed.toUpperCase().replace(/[^A-Z]/g, ''))
}
