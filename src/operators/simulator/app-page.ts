import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../../platform/http/refusal.ts'
import { defineRoute } from '../../platform/http/route.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { findReferenced } from '../sending/code-store.ts'
import { keepPayerWord } from './connector.ts'
import { scenarioOf } from './scenarios.ts'
import { type RememberedOrder, readOrders } from './store.ts'

type Order = RememberedOrder & { merchant_id: number; livemode: boolean }

/** The parts of a request that decide how the page is drawn. */
type Asked = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly request_id: string }

/** The dependencies of the page, passed in by `app/`. */
export type SimulatorPages = {
  sql: Sql
  /** Milliseconds between the payer's answer and the simulator's reaction. */
  delay_ms: number
  /** Draws the page. Passed in, because the payer's pages are a layer above. */
  show: (asked: Asked, order: { reference: string; amount: number; answered: boolean }) => Promise<Answer>
}

const common = {
  auth: 'open',
  counts: 'page',
  path: '/simulator/:reference',
  params: { reference: 'text' },
  about: { parameter: 'reference' },
  fault: 'payment_failed',
} as const

/**
 * The page that replaces an operator's app in test mode. It exists only under the reference of an order that waits for its
 * payer.
 */
export const getSimulatorPage = defineRoute({
  ...common,
  method: 'GET',
  operation: 'showSimulatorPage',
  summary: "Show the page that stands for an operator's app",
  errors: { 404: ['resource_not_found'], 500: ['payment_failed'] },
  async handle({ params, refuse, ...asked }, { simulatorPages: pages }: { simulatorPages: SimulatorPages }) {
    const order = await findOrder(pages.sql, params.reference)
    return order === null ? refuse('resource_not_found') : showOrder(pages, asked, order)
  },
})

/** Records the payer's yes or no, and sends the browser to `/return/<reference>`. */
export const postSimulatorPage = defineRoute({
  ...common,
  method: 'POST',
  operation: 'answerSimulatorPage',
  summary: "Take what a payer says on the page that stands for an operator's app",
  reads: 'form',
  bodyMaxBytes: 1_024,
  errors: { 400: ['invalid_request'], 404: ['resource_not_found'], 500: ['payment_failed'] },
  unreadable: 'invalid_request',
  async handle({ params, body, refuse, ...asked }, { simulatorPages: pages }: { simulatorPages: SimulatorPages }) {
    const order = await findOrder(pages.sql, params.reference)
    if (order === null) return refuse('resource_not_found')
    const answer = body?.fields.answer
    if (answer !== 'yes' && answer !== 'no') return showOrder(pages, asked, order)
    await keepPayerWord(pages.sql, order, answer, pages.delay_ms)
    return { status: 303, body: '', error_code: null, headers: { Location: `/return/${order.reference}` } }
  },
})

function showOrder({ show }: SimulatorPages, asked: Asked, { reference, amount, payer_says }: Order): Promise<Answer> {
  return show(asked, { reference, amount, answered: payer_says !== null })
}

async function findOrder(sql: Sql, reference: string): Promise<Order | null> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference)) return null
  const key = await findReferenced(sql, reference, 'simulator')
  if (key === null) return null
  const { merchant_id, livemode } = key
  const [order] = await readOrders(sql, [{ merchant_id, livemode, reference }])
  if (order === undefined || scenarioOf('collect', order.msisdn_end).approval !== 'app') return null
  return { ...order, merchant_id, livemode }
}
