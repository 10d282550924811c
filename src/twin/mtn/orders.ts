import type { TwinAnswer } from '../wire.ts'
import { currencyOf, type Kind, type Settings } from './settings.ts'
import { badRequest, firewall, said } from './words.ts'

/** The person of an order, as it was named. */
export type Party = { partyIdType: string; partyId: string }

/** The body of an order, read. */
export type OrderBody = {
  amount: number
  external_id: string
  payer_message?: string
  payee_note?: string
  /** Null: a refund, which names the request to pay in `refers_to`. */
  party: Party | null
  refers_to: string | null
}

export function isUuid4(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text)
}

/** The people that each order names. */
export const partyField: Readonly<Record<Kind, 'payer' | 'payee' | null>> = {
  requesttopay: 'payer',
  transfer: 'payee',
  deposit: 'payee',
  refund: null,
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads an order, or gives back the answer that refuses it. A number in a wrong form is taken, and fails later. */
export function readOrder(kind: Kind, body: Buffer, settings: Settings): OrderBody | TwinAnswer {
  const fields = parse(body)
  if (fields === null) return badRequest('The body is one JSON object.')
  const { amount, currency, externalId, payerMessage, payeeNote, referenceIdToRefund } = fields
  if (typeof amount !== 'string' || !/^[1-9]\d{0,11}(\.0{1,2})?$/.test(amount))
    return badRequest('amount is a text of digits.')
  if (typeof externalId !== 'string' || !/^\S{1,100}$/.test(externalId)) return badRequest('externalId has no spaces.')
  const texts = readTexts({ payerMessage, payeeNote })
  if ('status' in texts) return texts
  if (currency !== currencyOf(settings)) return said('INVALID_CURRENCY')
  const read = { amount: Number(amount), external_id: externalId, ...texts }
  const field = partyField[kind]
  if (field === null) {
    if (typeof referenceIdToRefund !== 'string') return badRequest('referenceIdToRefund is required.')
    return { ...read, party: null, refers_to: referenceIdToRefund }
  }
  const party = fields[field]
  if (!isFields(party)) return badRequest(`${field} is required.`)
  const { partyIdType, partyId } = party
  if (!['MSISDN', 'EMAIL', 'PARTY_CODE'].includes(String(partyIdType)) || typeof partyId !== 'string')
    return badRequest(`${field}.partyIdType is MSISDN, EMAIL or PARTY_CODE, and partyId a text.`)
  return { ...read, party: { partyIdType: String(partyIdType), partyId: partyId.slice(0, 100) }, refers_to: null }
}

function readTexts({ payerMessage, payeeNote }: Fields): Pick<OrderBody, 'payer_message' | 'payee_note'> | TwinAnswer {
  for (const [name, text] of Object.entries({ payerMessage, payeeNote })) {
    if (text === undefined) continue
    if (typeof text !== 'string' || text.length > 160) return badRequest(`${name} has at most 160 characters.`)
    if (!/^[A-Za-z0-9 .,:;()/_+-]*$/.test(text))
      return firewall(400, 'Which characters of a message the firewall refuses.')
  }
  return {
    ...(typeof payerMessage === 'string' ? { payer_message: payerMessage } : {}),
    ...(typeof payeeNote === 'string' ? { payee_note: payeeNote } : {}),
  }
}

function parse(body: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isFields(value) ? value : null
  } catch {
    return null
  }
}
