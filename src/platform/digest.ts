import { hash } from 'node:crypto'

/**
 * The SHA-256 of a text, for code that runs with every request. It uses a string with one character for each byte: if Node returned a Buffer,
 * its separate allocation would cost more than the hash.
 */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'latin1'), 'latin1')
}
