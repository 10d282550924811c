import { readNumber } from '../rules.ts'
import type { Detail } from './data.ts'
import { idField, isProvider, type Kind, type Provider, type Settings } from './settings.ts'

/** The body of an order, read; `provider` and `msisdn` are absent in a refund. */
export type OrderBody = {
  id: string
  amount: number | null
  msisdn: string
  provider: Provider | null
  detail: Detail
}

/** A body that is refused, with pawaPay's code. */
export type BodyRefusal = { code: string; message: string }

const fieldsOf: Readonly<Record<Kind, readonly string[]>> = {
  deposit: [
    'depositId',
    'amount',
    'currency',
    'payer',
    'preAuthorisationCode',
    'clientReferenceId',
    'customerMessage',
    'metadata',
    'successfulUrl',
    'failedUrl',
  ],
  payout: ['payoutId', 'amount', 'currency', 'recipient', 'clientReferenceId', 'customerMessage', 'metadata'],
  refund: ['refundId', 'depositId', 'amount', 'currency', 'clientReferenceId', 'metadata'],
}

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refuse = (code: string, message: string): BodyRefusal => ({ code, message })

/** Reads an order in the sequence in which it is refused: shape, id, required fields, then what they say. */
export function readOrder(kind: Kind, body: unknown, settings: Settings): OrderBody | BodyRefusal {
  if (!isFields(body)) return refuse('INVALID_INPUT', 'The body is one JSON object.')
  const unknown = Object.keys(body).find((name) => !fieldsOf[kind].includes(name))
  if (unknown !== undefined) return refuse('UNSUPPORTED_PARAMETER', `${unknown} is not a parameter of this call.`)
  const id = body[idField[kind]]
  if (id === undefined) return refuse('MISSING_PARAMETER', `${idField[kind]} is required.`)
  if (typeof id !== 'string' || !uuid4.test(id)) return refuse('INVALID_PARAMETER', `${idField[kind]} is a UUID v4.`)
  const detail = readDetail(body)
  if ('code' in detail) return detail
  const amount = readAmount(body, kind, settings)
  if (typeof amount === 'object' && amount !== null) return amount
  if (kind === 'refund') {
    if (typeof body.depositId !== 'string') return refuse('MISSING_PARAMETER', 'depositId is required.')
    return { id, amount, msisdn: '', provider: null, detail: { ...detail, deposit_id: body.depositId } }
  }
  const party = readParty(body[kind === 'deposit' ? 'payer' : 'recipient'], kind === 'deposit' ? 'payer' : 'recipient')
  if ('code' in party) return party
  return { id, amount, ...party, detail: { ...detail, provider: party.provider } }
}

function readAmount({ amount, currency }: Fields, kind: Kind, settings: Settings): number | null | BodyRefusal {
  if (amount === undefined && kind === 'refund') return null
  if (amount === undefined) return refuse('MISSING_PARAMETER', 'amount is required.')
  if (currency === undefined) return refuse('MISSING_PARAMETER', 'currency is required.')
  if (typeof amount !== 'string') return refuse('INVALID_PARAMETER', 'amount is a text.')
  if (currency !== 'XOF') return refuse('INVALID_CURRENCY', 'The currency of Côte d’Ivoire is XOF.')
  if (!/^[1-9]\d{0,11}$/.test(amount)) return refuse('INVALID_AMOUNT', 'An amount in XOF is a whole number.')
  const francs = Number(amount)
  if (kind !== 'refund' && (francs < settings.min_amount || francs > settings.max_amount))
    return refuse('AMOUNT_OUT_OF_BOUNDS', `The amount is from ${settings.min_amount} to ${settings.max_amount}.`)
  return francs
}

function readParty(party: unknown, name: string): { msisdn: string; provider: Provider } | BodyRefusal {
  const account = isFields(party) ? party.accountDetails : undefined
  if (!isFields(party) || !isFields(account)) return refuse('MISSING_PARAMETER', `${name}.accountDetails is required.`)
  if (party.type !== 'MMO') return refuse('INVALID_PARAMETER', `${name}.type is MMO.`)
  const { phoneNumber, provider } = account
  if (typeof phoneNumber !== 'string' || typeof provider !== 'string')
    return refuse('MISSING_PARAMETER', 'accountDetails needs phoneNumber and provider.')
  if (!isProvider(provider)) return refuse('INVALID_PROVIDER', `${provider.slice(0, 40)} is not a provider of CIV.`)
  if (!/^225\d{10}$/.test(phoneNumber)) return refuse('INVALID_PHONE_NUMBER', 'The number has digits alone, from 225.')
  try {
    return { msisdn: readNumber(phoneNumber), provider }
  } catch {
    return refuse('INVALID_PHONE_NUMBER', 'This is not a mobile number of Côte d’Ivoire.')
  }
}

function readDetail(body: Fields): Detail | BodyRefusal {
  const { clientReferenceId, customerMessage, successfulUrl, failedUrl } = body
  for (const [name, value] of Object.entries({ clientReferenceId, customerMessage, successfulUrl, failedUrl }))
    if (value !== undefined && typeof value !== 'string') return refuse('INVALID_PARAMETER', `${name} is a text.`)
  if (typeof customerMessage === 'string' && !/^[A-Za-z0-9 ]{4,22}$/.test(customerMessage))
    return refuse('INVALID_PARAMETER', 'customerMessage has 4 to 22 letters, digits and spaces.')
  for (const address of [successfulUrl, failedUrl])
    if (typeof address === 'string' && !isReturnAddress(address))
      return refuse('INVALID_PARAMETER', 'Addresses of return begin with https.')
  const metadata = readMetadata(body.metadata)
  if ('code' in metadata) return metadata
  return {
    ...(typeof clientReferenceId === 'string' ? { client_reference: clientReferenceId } : {}),
    ...(typeof customerMessage === 'string' ? { customer_message: customerMessage } : {}),
    ...(typeof successfulUrl === 'string' ? { success_url: successfulUrl } : {}),
    ...(typeof failedUrl === 'string' ? { failure_url: failedUrl } : {}),
    ...(body.metadata === undefined ? {} : { metadata: metadata.read }),
  }
}

/** https, and plain http on this machine, where the service under test runs. */
function isReturnAddress(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'https:' || (url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
}

/** A list goes in, one object comes out. */
function readMetadata(list: unknown): { read: Record<string, unknown> } | BodyRefusal {
  if (list === undefined) return { read: {} }
  if (!Array.isArray(list) || list.length > 10)
    return refuse('INVALID_PARAMETER', 'metadata is a list of at most 10 objects.')
  const read: Record<string, unknown> = {}
  for (const entry of list as unknown[]) {
    const names = isFields(entry) ? Object.keys(entry).filter((name) => name !== 'isPII') : []
    if (names.length !== 1) return refuse('INVALID_PARAMETER', 'An object of metadata has one key.')
    const [name] = names
    if (Object.hasOwn(read, name!)) return refuse('DUPLICATE_METADATA_FIELD', `${name} stands twice in metadata.`)
    read[name!] = (entry as Fields)[name!]
  }
  return { read }
}
