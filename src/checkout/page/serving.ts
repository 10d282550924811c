import type { Recipient } from '../../platform/http/pages/page-answer.ts'
import { type PageRequest, wantsJson } from '../../platform/http/pages/page-request.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import type { Log } from '../../platform/log.ts'
import type { Addresses } from '../addresses.ts'
import { pageRefusalAnswer, viewAnswer } from './answers.ts'
import { contextOf } from './context.ts'
import type { PageViews } from './facts.ts'

export type ServingDependencies = {
  readonly log: Log
  readonly views: PageViews
  readonly addresses: Addresses
  readonly brand_name: string
}

/** Answers an exception with a page too. It says that we do not know whether anything happened. */
export function serving<Request extends PageRequest>(
  { log, views, addresses, brand_name }: ServingDependencies,
  serve: (request: Request, to: Recipient) => Promise<Answer>,
) {
  return async (request: Request): Promise<Answer> => {
    const { headers, request_id } = request
    const to = { headers, secure: addresses.origin().startsWith('https:') }
    try {
      return await serve(request, to)
    } catch (error) {
      log.error({ error, request_id }, 'checkout: page failed')
      if (wantsJson(headers)) return pageRefusalAnswer(to, 'payment_failed')
      const context = contextOf(request, brand_name, { refusal: 'payment_failed' })
      return viewAnswer(to, 500, views.refused('payment_failed', context))
    }
  }
}
