import Type from 'typebox'
import type { Answer } from '../../platform/http/refusal.ts'
import { defineRoute } from '../../platform/http/route.ts'
import type { CallbackReceipt, ReceiveCallback } from './receive-callback.ts'

/**
 * The route of operators' callbacks. It takes the raw bytes, because signatures cover them, stores them and answers at
 * once; it decides nothing. An operator that does not sign is given a URL that ends in a token. A wrong token and an
 * unknown contract get the same 404 as any unknown URL.
 */
const callback = {
  auth: 'open',
  operation: 'receiveCallback',
  // An operator calls from few addresses, and its callbacks are written together.
  about: 'address',
  concurrency: 'batched',
  summary: 'Take what an operator calls to tell us',
  reads: 'raw',
  replies: { 200: Type.Object({ received: Type.Literal(true) }) },
  errors: {
    400: ['invalid_request'],
    401: ['authentication_required'],
    404: ['resource_not_found'],
    500: ['payment_failed'],
  },
  unreadable: 'invalid_request',
  fault: 'payment_failed',
} as const

/** The usual message of this code tells the caller to send an API key, and operators have none. */
const forged = {
  message: "The signature is not this operator's, or it is too old. Nothing was taken in.",
  headers: { 'WWW-Authenticate': 'Signature' },
}

type Dependencies = { receiveCallback: ReceiveCallback }

/**
 * The answer to a callback. An operator calls from few addresses, as often as people pay, so a callback whose signature or token is right counts
 * for none of them.
 */
function received(reply: (status: 200, body: { received: true }) => Answer, receipt: CallbackReceipt): Answer {
  const answer = reply(200, { received: true })
  return receipt === 'mismatched' ? answer : { ...answer, uncounted: true }
}

// Some operators call with PUT.
const signed = (['POST', 'PUT'] as const).map((method) =>
  defineRoute({
    ...callback,
    method,
    path: '/operators/:connector/callbacks',
    params: { connector: 'text' },
    async handle({ params: { connector }, body: raw, headers, address, reply, refuse }, deps: Dependencies) {
      const receipt = await deps.receiveCallback({ connector, token: null, raw, headers }, address)
      if (receipt === 'unknown') return refuse('resource_not_found')
      return receipt === 'forged' ? refuse('authentication_required', forged) : received(reply, receipt)
    },
  }),
)

const unsigned = (['POST', 'PUT'] as const).map((method) =>
  defineRoute({
    ...callback,
    method,
    path: '/operators/:connector/callbacks/:token',
    params: { connector: 'text', token: 'text' },
    async handle({ params: { connector, token }, body: raw, headers, address, reply, refuse }, deps: Dependencies) {
      const receipt = await deps.receiveCallback({ connector, token, raw, headers }, address)
      return receipt === 'unknown' || receipt === 'forged' ? refuse('resource_not_found') : received(reply, receipt)
    },
  }),
)

const word = Type.Optional(Type.String({ maxLength: 512 }))

/** Some clients of Orange describe its notification as a GET with its fields in the query. */
const byQuery = defineRoute({
  ...callback,
  method: 'GET',
  reads: 'json',
  path: '/operators/:connector/callbacks/:token',
  params: { connector: 'text', token: 'text' },
  query: Type.Object({ status: word, notif_token: word, txnid: word }),
  invalid: { otherwise: 'invalid_request' },
  async handle({ params: { connector, token }, query, headers, address, reply, refuse }, deps: Dependencies) {
    const raw = Buffer.from(new URLSearchParams(query).toString())
    const receipt = await deps.receiveCallback({ connector, token, raw, headers }, address)
    return receipt === 'unknown' || receipt === 'forged' ? refuse('resource_not_found') : received(reply, receipt)
  },
})

export const callbackRoutes = [...signed, ...unsigned, byQuery]
