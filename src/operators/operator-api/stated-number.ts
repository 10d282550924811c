import { Msisdn } from '../../values/msisdn.ts'
import type { Order } from '../port.ts'
import { unlisted } from './answer-words.ts'
import { writtenText } from './whole-francs.ts'

/** The word of an answer that states another number than its order's, for people. It holds neither number. */
export const anotherNumber = unlisted('another number')

/**
 * Whether an answer states another number than that of its order: then it is not about this order, whatever else it says. A number that is
 * absent, masked or no number says nothing. A refund goes back to whoever paid, who need not be the one that was named.
 */
export function statesAnother(stated: unknown, { msisdn, direction }: Order): boolean {
  const text = writtenText(stated)
  if (text === null || msisdn === null || direction === 'refund') return false
  const number = Msisdn.parse(text)
  return number === null ? /^\+?\d{6,15}$/.test(text) : number.e164 !== msisdn.e164
}
