import type { FastifyReply, FastifyRequest } from 'fastify'
import { exchangeOf } from '../platform/http/server.ts'
import { contextOf } from './page-context.ts'
import type { PageViews, SimulatorOrder } from './page-facts.ts'
import { sendView } from './send-page.ts'

/** Shows the page that stands for an operator's app in test mode, in the clothes of the page that its payer comes from. */
export function createShowSimulator(deps: { views: PageViews; brand_name: string; origin: () => string }) {
  return (request: FastifyRequest, reply: FastifyReply, order: SimulatorOrder): Promise<unknown> => {
    const [path = '', query = ''] = request.url.split('?')
    const context = contextOf({
      path,
      query: new URLSearchParams(query),
      headers: request.headers,
      request_id: exchangeOf(request.raw).request_id,
      brand_name: deps.brand_name,
    })
    const sending = { request, reply, secure: deps.origin().startsWith('https:') }
    return sendView(sending, 200, deps.views.simulator(order, context))
  }
}
