import type { IncomingMessage } from 'node:http'
import { pageHeaders } from '../../platform/http/pages/page-answer.ts'
import { wantsJson } from '../../platform/http/pages/page-request.ts'
import { type Answer, type Refusal, refusalAnswer } from '../../platform/http/refusal.ts'
import { contextOf } from './context.ts'
import type { PageRefusal, PageViews } from './facts.ts'

/** The addresses that people visit, not programs. */
const pages = /^\/(?:pay|link|return)\/|^\/verify(?:\?|$)/

/** The pages that the server gives to payers before or after a route. Each is null for programs and for other addresses, which get the usual answer. */
export function createPayerRefusals(deps: { views: PageViews; brand_name: string; origin: () => string }) {
  function refusedPage(
    request: IncomingMessage,
    code: PageRefusal,
    refusal: Refusal,
    request_id: string,
  ): Answer | null {
    const url = request.url ?? ''
    if (!pages.test(url) || wantsJson(request.headers)) return null
    const asked = { url, headers: request.headers, request_id }
    const view = deps.views.refused(code, contextOf(asked, deps.brand_name, { refusal: code }))
    const headers = {
      ...pageHeaders(view.style_hashes, deps.origin().startsWith('https:')),
      ...refusal.headers,
      'Content-Type': 'text/html; charset=utf-8',
    }
    return { ...refusalAnswer(refusal), body: view.html, headers }
  }

  return {
    /**
     * The page of a payer whose address makes too many calls. Phones share the addresses of their network, so the calls of strangers can
     * refuse a payer, who should read a page and not JSON.
     */
    rateLimited(request: IncomingMessage, refusal: Refusal, request_id: string): Answer | null {
      if (refusal.code !== 'rate_limit_exceeded') return null
      return refusedPage(request, 'rate_limit_exceeded', refusal, request_id)
    },
    /** The page of a payer whose request failed, or whose answer is late: the request may have left. */
    failed(request: IncomingMessage, request_id: string): Answer | null {
      return refusedPage(
        request,
        'payment_failed',
        { kind: 'refused', status: 500, code: 'payment_failed' },
        request_id,
      )
    },
  }
}
