import { Msisdn } from '../../values/msisdn.ts'
import type { Order } from '../port.ts'
import { unlisted } from './answer-words.ts'
import { writtenText } from './whole-francs.ts'

/** The word in the evidence when an answer states another number than its order. It contains neither number. */
export const anotherNumber = unlisted('another number')

/**
 * Whether an answer states another number than its order. It is then not about this order, whatever else it says. False
 * when the answer's number is absent, masked or not a number. Refunds are exempt: they go back to the actual payer, who
 * can have another number than the order.
 */
export function statesAnother(stated: unknown, { msisdn, direction }: Order): boolean {
  const text = writtenText(stated)
  if (text === null || msisdn === null || direction === 'refund') return false
  const number = Msisdn.parse(text)
  return number === null ? /^\+?\d{6,15}$/.test(text) : number.e164 !== msisdn.e164
}
