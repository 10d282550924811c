import type { IncomingMessage } from 'node:http'
import { pageHeaders } from '../../platform/http/pages/page-answer.ts'
import { wantsJson } from '../../platform/http/pages/page-request.ts'
import { type Answer, type Refusal, refusalAnswer } from '../../platform/http/refusal.ts'
import { contextOf } from './context.ts'
import type { PageViews } from './facts.ts'

/** The addresses that people visit, not programs. */
const pages = /^\/(?:pay|link|return)\/|^\/verify(?:\?|$)/

/**
 * The page of a person whose address makes too many calls. Phones share the addresses of their network, so the calls
 * of strangers can refuse a payer, who should read a page and not JSON. Null for programs and for other addresses, which
 * get the usual answer.
 */
export function createRateLimitedPage(deps: { views: PageViews; brand_name: string; origin: () => string }) {
  return (request: IncomingMessage, refusal: Refusal, request_id: string): Answer | null => {
    const url = request.url ?? ''
    if (refusal.code !== 'rate_limit_exceeded' || !pages.test(url) || wantsJson(request.headers)) return null
    const asked = { url, headers: request.headers, request_id }
    const context = contextOf(asked, deps.brand_name, { refusal: 'rate_limit_exceeded' })
    const view = deps.views.refused('rate_limit_exceeded', context)
    const headers = {
      ...pageHeaders(view.style_hashes, deps.origin().startsWith('https:')),
      ...refusal.headers,
      'Content-Type': 'text/html; charset=utf-8',
    }
    return { ...refusalAnswer(refusal), body: view.html, headers }
  }
}
