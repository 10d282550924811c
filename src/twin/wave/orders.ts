import { RuleError, readNumber } from '../rules.ts'

/** An order that cannot be taken: Wave's code, and in words what is wrong. */
export type BodyRefusal = { code: string; message: string }

export type SessionOrder = {
  amount: number
  client_reference: string | null
  success_url: string
  failure_url: string
  only_payer?: string
  aggregated_merchant_id?: string
}

export type PayoutOrder = {
  amount: number
  client_reference: string | null
  mobile: string
  name?: string
  payment_reason?: string
}

type Fields = Record<string, unknown>

const refuse = (message: string, code = 'request-validation-error'): BodyRefusal => ({ code, message })

/** A body as one JSON object. */
export function readBody(body: Buffer): { fields: Fields } | BodyRefusal {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { fields: value as Fields }
    return refuse('The body is one JSON object.', 'request-parsing-error')
  } catch {
    return refuse('The body is not JSON.', 'request-not-json')
  }
}

export function readSession(fields: Fields): SessionOrder | BodyRefusal {
  const amount = readAmount('amount', fields)
  if (typeof amount !== 'number') return amount
  const { success_url, error_url, restrict_payer_mobile } = fields
  if (!isPage(success_url) || !isPage(error_url)) return refuse('success_url and error_url begin with https.')
  const texts = readTexts(fields, { client_reference: 255, aggregated_merchant_id: 255 })
  if ('code' in texts) return texts
  const { client_reference, ...more } = texts
  const read = { amount, client_reference: client_reference ?? null, success_url, failure_url: error_url, ...more }
  if (restrict_payer_mobile === undefined) return read
  const mobile = readMobile('restrict_payer_mobile', restrict_payer_mobile)
  return typeof mobile === 'string' ? { ...read, only_payer: mobile } : mobile
}

export function readPayout(fields: Fields): PayoutOrder | BodyRefusal {
  const amount = readAmount('receive_amount', fields)
  if (typeof amount !== 'number') return amount
  const mobile = readMobile('mobile', fields.mobile)
  if (typeof mobile !== 'string') return mobile
  const bounds = { client_reference: 255, name: 255, national_id: 255, payment_reason: 40, aggregated_merchant_id: 255 }
  const texts = readTexts(fields, bounds)
  if ('code' in texts) return texts
  const { client_reference, name, payment_reason } = texts
  return {
    amount,
    mobile,
    client_reference: client_reference ?? null,
    ...(name === undefined ? {} : { name }),
    ...(payment_reason === undefined ? {} : { payment_reason }),
  }
}

function readAmount(field: string, fields: Fields): number | BodyRefusal {
  const { [field]: amount, currency } = fields
  if (typeof amount !== 'string' || !/^[1-9]\d{0,11}$/.test(amount))
    return refuse(`${field} is a text of digits, without decimals in XOF.`)
  return currency === 'XOF' ? Number(amount) : refuse('The currency of the wallet is XOF.', 'currency-mismatch')
}

/** E.164 with `+`. */
export function readMobile(field: string, written: unknown): string | BodyRefusal {
  if (typeof written !== 'string' || !/^\+\d{8,15}$/.test(written)) return refuse(`${field} is such as +2250700000001.`)
  if (!written.startsWith('+225')) return refuse(`${field} is of another country.`, 'country-mismatch')
  try {
    return readNumber(written)
  } catch (error) {
    if (error instanceof RuleError) return refuse(`${field} is no mobile number.`)
    throw error
  }
}

function readTexts<Name extends string>(
  fields: Fields,
  bounds: Record<Name, number>,
): { [name in Name]?: string } | BodyRefusal {
  const read: { [name in Name]?: string } = {}
  for (const name of Object.keys(bounds) as Name[]) {
    const text = fields[name]
    if (text === undefined || text === null) continue
    if (typeof text !== 'string' || text.length > bounds[name])
      return refuse(`${name} has at most ${bounds[name]} characters.`)
    read[name] = text
  }
  return read
}

/** https, and plain http on this machine, where the service under test runs. */
function isPage(address: unknown): address is string {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url?.protocol === 'https:' || (url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
}
