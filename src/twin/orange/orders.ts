import type { Operation } from '../state.ts'
import type { TwinAnswer } from '../wire.ts'
import { currencyOf, type Settings } from './settings.ts'
import { refusal } from './words.ts'

/** The fields of an order that the core does not know. */
export type Detail = {
  notif_url: string
  /** Where the payer goes after the code. */
  success_url: string
  /** Where the payer goes who cancels, or whose payment has failed. */
  failure_url: string
  pay_token: string
  notif_token: string
  /** The payer has typed a code that was right. */
  typed?: boolean
}

export function detailOf(operation: Operation): Detail {
  return operation.detail as Detail
}

/** An announcement, read. */
export type Announced = {
  order_id: string
  amount: number
  payee: string
  notif_url: string
  success_url: string
  failure_url: string
}

type Fields = Record<string, unknown>

const texts = [
  ['merchant_key', 200],
  ['currency', 3],
  ['order_id', 30],
  ['return_url', 120],
  ['cancel_url', 120],
  ['notif_url', 120],
  ['lang', 2],
  ['reference', 30],
] as const

/** Reads an announcement, or gives back the answer that refuses it. */
export function readAnnounced(body: Buffer, settings: Settings): Announced | TwinAnswer {
  const fields = readFields(body)
  if (fields === null) return refusal('22')
  for (const [name, length] of texts) {
    const text = fields[name]
    if (text === undefined || text === '') return refusal('23', `Whether ${name} may be left out.`)
    if (typeof text !== 'string' || text.length > length)
      return refusal('24', `The number for ${name} in a wrong form, or over ${length} characters.`)
  }
  const { merchant_key, currency, order_id, amount, return_url, cancel_url, notif_url, reference } = fields
  if (merchant_key !== settings.merchant_key) return refusal('1202')
  if (currency !== currencyOf(settings)) return refusal('1203')
  if (!Number.isInteger(amount) || Number(amount) < 1)
    return refusal('24', 'The number for an amount that is a text or no whole number.')
  if (![return_url, cancel_url, notif_url].every((url) => isAddress(String(url))))
    return refusal('24', 'The number for an address that is not https.')
  return {
    order_id: String(order_id),
    amount: Number(amount),
    payee: String(reference),
    notif_url: String(notif_url),
    success_url: String(return_url),
    failure_url: String(cancel_url),
  }
}

/** The body as an object; null when it is none. */
export function readFields(body: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

/** https, and plain http on this machine, where the service under test runs. */
function isAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
}
