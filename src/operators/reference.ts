import { randomUUID } from 'node:crypto'

/**
 * Creates the permanent reference by which an operator knows an instruction. Its form is that of a UUID of version 4,
 * because some operators accept no other. Its first 48 bits are the time, because it is part of the keys of large
 * tables: a fully random one would put each new row on another page of an index, and each of these pages would be read
 * and written. The other 74 bits are random, so nobody can guess a reference.
 * @param milliseconds the current time, in milliseconds since 1970
 */
export function newReference(milliseconds: number): string {
  const time = Math.floor(milliseconds).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUID().slice(13)}`
}
