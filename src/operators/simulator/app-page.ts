import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { takeBodies } from '../../platform/http/take-bodies.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { findReferenced } from '../code-store.ts'
import { keepPayerWord } from './connector.ts'
import { scenarioOf } from './scenarios.ts'
import { type RememberedOrder, readOrders } from './store.ts'

type Asked = { Params: { reference: string }; Body: Buffer | undefined }
type Order = RememberedOrder & { merchant_id: number; livemode: boolean }

/** Draws the page: what the payer sees belongs to the page that they come from, which is above us. */
type Show = (
  request: FastifyRequest,
  reply: FastifyReply,
  order: { reference: string; amount: number; answered: boolean },
) => Promise<unknown>

/**
 * The page that stands for an operator's app in test mode (`/simulator/<reference>`): the payer says yes or no and goes
 * back to where they came from, at `/return/<reference>`. Only who was given the reference finds it, and only for an order
 * that waits for its payer.
 */
export function simulatorAppRoutes({ sql, delay_ms, show }: { sql: Sql; delay_ms: number; show: Show }) {
  const send = (request: FastifyRequest, reply: FastifyReply, { reference, amount, payer_says }: Order) =>
    show(request, reply, { reference, amount, answered: payer_says !== null })

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
        return order === null ? reply.callNotFound() : send(request, reply, order)
      })
      scope.post<Asked>('/simulator/:reference', async (request, reply) => {
        const order = await find(request.params.reference)
        if (order === null) return reply.callNotFound()
        const answer = new URLSearchParams(request.body?.toString('utf8')).get('answer')
        if (answer !== 'yes' && answer !== 'no') return send(request, reply, order)
        await keepPayerWord(sql, order, answer, delay_ms)
        return reply.code(303).header('Location', `/return/${order.reference}`).send()
      })
    })
  }
}
