import type { IncomingMessage } from 'node:http'
import { pageHeaders } from '../../platform/http/pages/page-answer.ts'
import { type Answer, refusalAnswer } from '../../platform/http/refusal.ts'
import { contextOf } from './context.ts'
import type { PageViews } from './facts.ts'

const otherMethod = refusalAnswer({ status: 405, code: 'method_not_allowed', headers: { Allow: 'GET, HEAD' } })

/**
 * The answer at `/`. A browser gets a page. The interface has no such route, so a program gets the refusal of an unknown
 * address, with a message that says where the routes are. Other methods get the refusal of a known address. Null for
 * every other address.
 */
export function createFrontPage(deps: { views: PageViews; brand_name: string; origin: () => string }) {
  return (request: IncomingMessage, request_id: string): Answer | null => {
    if (!/^\/(?:\?|$)/.test(request.url ?? '')) return null
    if (request.method !== 'GET' && request.method !== 'HEAD') return otherMethod
    const origin = deps.origin()
    if (!(request.headers.accept ?? '').toLowerCase().includes('text/html')) {
      const message = `No route has this address. Read the routes at ${origin}/docs, or as OpenAPI at ${origin}/openapi.json.`
      return refusalAnswer({ status: 404, code: 'resource_not_found', message, headers: { Vary: 'Accept' } })
    }
    const context = contextOf({ url: request.url!, headers: request.headers, request_id }, deps.brand_name)
    const { html, style_hashes } = deps.views.front(context)
    const headers = {
      ...pageHeaders(style_hashes, origin.startsWith('https:')),
      'Content-Type': 'text/html; charset=utf-8',
    }
    return { status: 200, body: html, error_code: null, headers }
  }
}
