import type { IncomingHttpHeaders } from 'node:http'
import { type Form, isJsonType } from '../../platform/http/read-form.ts'
import { isCleanText } from '../../platform/http/strict-json.ts'
import { AMOUNT_MAX } from '../../values/amount.ts'
import { type PageLanguage, pageLanguages } from './facts.ts'

/** The parts of a request that a page is made from. */
export type PageRequest = {
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The client's address. */
  readonly address: string
  readonly request_id: string
}

/** Whether an answer is for a program: JSON was asked for, and a page was not. */
export function wantsJson({ accept, 'content-type': sent }: IncomingHttpHeaders): boolean {
  const wanted = (accept ?? '').toLowerCase()
  if (wanted.includes('application/json')) return !wanted.includes('text/html')
  // A program that sends JSON and accepts anything is answered in kind.
  return isJsonType(sent) && !wanted.includes('text/html')
}

/** The query of an address, its fields by name. */
export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '')
}

/** The language of a page: the one in its address (`?lang=en`), else the first that the browser prefers, else French. */
export function languageOf(query: URLSearchParams, acceptLanguage: string | undefined): PageLanguage {
  const known = (written: string | null | undefined) => pageLanguages.find((language) => language === written)
  const preferred = (acceptLanguage ?? '')
    .slice(0, 200)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.trim().toLowerCase().split(';')
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean)
      return { language: known(tag.split('-')[0]), weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .sort((one, other) => other.weight - one.weight)
  return known(query.get('lang')) ?? preferred[0]?.language ?? 'fr'
}

/**
 * Whether a POST comes from a page of ours. Browsers of today say so themselves (`Sec-Fetch-Site`), and nothing on a page
 * can make them lie. Older ones send the `Origin`; because our pages send no referrer, it can be `null` there, which says
 * nothing. A program sends neither. For the remaining cases the form's nonce decides.
 */
export function isFromOurPage(headers: IncomingHttpHeaders, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (origin === undefined || origin === 'null') return true
  const host = URL.parse(origin)?.host
  return host !== undefined && (host === headers.host || host === URL.parse(publicOrigin)?.host)
}

/**
 * A form as sent, each field a text; `null` for one of another type.
 * `has_number`: the field is there, be it empty. `retry`: the payment whose number `msisdn` shows the end of.
 */
export type SentForm = { amount: number | null; amount_text: string; has_number: boolean } & Readonly<
  Record<'msisdn' | 'retry' | 'operator' | 'nonce' | 'code' | 'fee', string | null>
>

/** Bytes of a form at most. */
export const FORM_MAX_BYTES = 16_384
const FIELD_MAX = 200

/** Takes the fields of a form of ours. A field that is not there is empty. */
export function readSentForm({ fields, written_as }: Form): SentForm {
  const text = (name: string): string | null => {
    const value = fields[name] ?? ''
    return typeof value === 'string' && value.length <= FIELD_MAX && isCleanText(value) ? value.trim() : null
  }
  // As everywhere in the interface, an amount in JSON is a number: a text is none.
  const amount = written_as === 'json' && typeof fields.amount === 'string' ? null : fields.amount
  return {
    amount: typeof amount === 'number' ? wholeFrancs(amount) : typeof amount === 'string' ? readFrancs(amount) : null,
    amount_text: typeof amount === 'string' ? amount.slice(0, 40) : '',
    has_number: fields.msisdn != null,
    msisdn: text('msisdn'),
    retry: text('retry'),
    operator: text('operator'),
    nonce: text('nonce'),
    code: text('code'),
    fee: typeof fields.fee === 'number' ? String(fields.fee) : text('fee'),
  }
}

function wholeFrancs(amount: number): number | null {
  return Number.isSafeInteger(amount) && amount >= 1 && amount <= AMOUNT_MAX ? amount : null
}

/**
 * An amount as people type it: `10000`, `10 000`, `10.000`, `10 000 F CFA`. Null when it is not whole francs, so that
 * `10,5` is asked again rather than taken for 105.
 */
export function readFrancs(written: string): number | null {
  const plain = written.trim().replace(/\s*(?:f\.?\s*cfa|fcfa|xof|f|francs?)\.?$/i, '')
  if (!/^(?:\d{1,13}|\d{1,3}(?:[\s.,\u00a0\u202f]\d{3}){1,4})$/.test(plain)) return null
  return wholeFrancs(Number(plain.replace(/\D/g, '')))
}
