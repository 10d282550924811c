import { hash } from 'node:crypto'

/**
 * SHA-256 of a text, for what runs with every request. By way of a text of one character for each byte: of a digest that Node gives out
 * as a Buffer it takes the memory apart from all others, which costs more than the digest.
 */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'latin1'), 'latin1')
}
