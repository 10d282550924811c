import type { IncomingHttpHeaders } from 'node:http'
import { type Language, languages } from '../../../values/language.ts'
import { isJsonType } from '../read-form.ts'

/** The parts of a request that a page uses. */
export type PageRequest = {
  /** The path and the query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The client's address. */
  readonly address: string
  readonly request_id: string
}

/** Whether the client is a program: it accepts JSON and not HTML. */
export function wantsJson({ accept, 'content-type': sent }: IncomingHttpHeaders): boolean {
  const wanted = (accept ?? '').toLowerCase()
  if (wanted.includes('application/json')) return !wanted.includes('text/html')
  // A program that sends JSON and accepts anything gets JSON.
  return isJsonType(sent) && !wanted.includes('text/html')
}

/** The fields of a query by name. */
export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '')
}

/** The language of a page: that of its address (`?lang=en`), otherwise the browser's preferred one, otherwise French. */
export function languageOf(query: Pick<URLSearchParams, 'get'>, acceptLanguage: string | undefined): Language {
  const known = (written: string | null | undefined) => languages.find((language) => language === written)
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
 * Whether a POST comes from our own page. Current browsers send `Sec-Fetch-Site`, which no page can falsify. Older ones send `Origin`, which
 * can be `null` because our pages send no referrer, and then tells nothing. A program sends neither. In the remaining cases the form's nonce
 * decides.
 */
export function isFromOurPage(headers: IncomingHttpHeaders, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (origin === undefined || origin === 'null') return true
  const host = URL.parse(origin)?.host
  return host !== undefined && (host === headers.host || host === URL.parse(publicOrigin)?.host)
}
