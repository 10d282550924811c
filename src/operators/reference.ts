import { randomUUID } from 'node:crypto'

/**
 * The reference by which an operator knows an instruction for ever: a UUID of version 4 by its form, because some operators
 * take no other, whose first 48 bits are the time, because it stands in the keys of large tables. A wholly random one puts
 * each new row on another page of their indexes, and of a large index every one of these pages has to be read and written.
 * The other 74 bits are random: nobody guesses one.
 * @param milliseconds the present, in milliseconds since 1970
 */
export function newReference(milliseconds: number): string {
  const time = Math.floor(milliseconds).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUID().slice(13)}`
}
