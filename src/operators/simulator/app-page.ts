import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { takeBodies } from '../../platform/http/take-bodies.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { findReferenced } from '../code-store.ts'
import { keepPayerWord } from './connector.ts'
import { scenarioOf } from './scenarios.ts'
import { type RememberedOrder, readOrders } from './store.ts'

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}' +
  'button,a{font:inherit;display:block;box-sizing:border-box;width:100%;min-height:3rem;margin:.75rem 0;text-align:center}' +
  'a{line-height:3rem}'

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

type Asked = { Params: { reference: string }; Body: Buffer | undefined }
type Order = RememberedOrder & { merchant_id: number; livemode: boolean }

/**
 * The page that stands for an operator's app in test mode (`/simulator/<reference>`): the payer says yes or no and goes
 * back to where they came from, at `/return/<reference>`. Only who was given the reference finds it, and only for an order
 * that waits for its payer.
 */
export function simulatorAppRoutes({ sql, delay_ms }: { sql: Sql; delay_ms: number }) {
  async function find(reference: string): Promise<Order | null> {
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference)) return null
    const key = await findReferenced(sql, ['simulator'], reference)
    if (key === null) return null
    const { merchant_id, livemode } = key
    const [order] = await readOrders(sql, [{ merchant_id, livemode, reference }])
    if (order === undefined || scenarioOf('collect', order.msisdn_end).approval !== 'app') return null
    return { ...order, merchant_id, livemode }
  }

  return (fastify: FastifyInstance): void => {
    void fastify.register(async (scope) => {
      takeBodies(scope, 1_024)
      scope.get<Asked>('/simulator/:reference', async (request, reply) => {
        const order = await find(request.params.reference)
        return order === null ? reply.callNotFound() : send(reply, order)
      })
      scope.post<Asked>('/simulator/:reference', async (request, reply) => {
        const order = await find(request.params.reference)
        if (order === null) return reply.callNotFound()
        const answer = new URLSearchParams(request.body?.toString('utf8')).get('answer')
        if (answer !== 'yes' && answer !== 'no') return send(reply, order)
        await keepPayerWord(sql, order, answer, delay_ms)
        return reply.code(303).header('Location', `/return/${order.reference}`).send()
      })
    })
  }
}

function send(reply: FastifyReply, { reference, amount, payer_says }: Order) {
  const form = `<form method="post"><button name="answer" value="yes">Accepter · Approve</button>
<button name="answer" value="no">Refuser · Decline</button></form>`
  const said = '<p>Vous avez déjà répondu. · You have answered already.</p>'
  const html = `<!doctype html>
<html lang="fr">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Simulateur</title><style>${STYLE}</style></head>
<body><main><h1>Simulateur</h1>
<p>Cette page tient lieu de l’application de l’opérateur. Aucun argent ne bouge.<br>
<span lang="en">This page stands for the operator’s app. No money moves.</span></p>
<p><strong>${amount} F CFA</strong></p>
${payer_says === null ? form : said}
<a href="/return/${reference}">Revenir · Go back</a></main></body>
</html>
`
  return reply
    .headers({ 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' })
    .type('text/html; charset=utf-8')
    .send(html)
}
