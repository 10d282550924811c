import { randomInt } from 'node:crypto'
import { sha256 } from '../../platform/digest.ts'

/** The letters of codes: no vowels, so that no code is a word, and none that looks like a digit (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

/** Makes a new code as people read it: `WDJB-MJHT`. */
export function newTerminalCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
}

/** The hash under which a code is stored. Lower case, spaces and a missing hyphen make no difference. */
export function hashOfTerminalCode(typed: string): Buffer {
  return sha256(typed.toUpperCase().replace(/[^A-Z]/g, ''))
}
