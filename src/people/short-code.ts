import { randomInt } from 'node:crypto'

/** The letters of codes: no vowels, so that no code is a word, and none that looks like a digit (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

/** Makes a new code that people read to one another, or type: `WDJB-MJHT`. */
export function newShortCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
}
