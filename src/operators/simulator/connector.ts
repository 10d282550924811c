import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createBatcher } from '../../platform/postgres/batcher.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { simulatorCallbackJob } from '../jobs.ts'
import {
  type CallbackReading,
  type Connector,
  type Order,
  type ReadOutcome,
  type SendOutcome,
  usualInquiryPlan,
  usualSilence,
} from '../port.ts'
import type { ReceiveCallback } from '../receive-callback.ts'
import { scenarioOf } from './scenarios.ts'
import * as store from './store.ts'

type Dependencies = {
  sql: Sql
  /** The simulator's second, and its minute: how long a payer takes, and the unit of the plan of asking. */
  delay_ms: number
  /** Signs what it calls back, as an operator with signed callbacks does. */
  callbackKey: Buffer
}

const SIGNATURE = 'x-simulator-signature'

/** The "minute" of a simulator without delay, so that it is not asked without pause. */
const MINUTE_WITHOUT_DELAY = 200

/**
 * The operator of test mode. A connector like the others, with a memory of its own that stands for the operator's:
 * it takes orders, takes its time, calls back, and can be asked. The payer's number chooses what happens.
 */
export function createSimulator({ sql, delay_ms, callbackKey }: Dependencies): Connector {
  const minute = delay_ms === 0 ? MINUTE_WITHOUT_DELAY : delay_ms

  const take = createBatcher<Order, undefined>({
    async run(orders) {
      const taken = orders.map((order) => ({ ...order, msisdn_end: endOf(order) }))
      await sql.begin(async (tx) => {
        await store.insertOrders(tx, taken)
        const jobs = [1, 2].flatMap((time) => {
          const references = taken
            .filter(({ direction, msisdn_end }) => scenarioOf(direction, msisdn_end).callbacks >= time)
            .map(({ reference }) => reference)
          return references.length > 0 ? [{ payload: { references, time }, delay_ms }] : []
        })
        enqueue(tx, simulatorCallbackJob, jobs)
      })
      return orders.map(() => undefined)
    },
  })

  const remember = createBatcher<Order, store.RememberedOrder | null>({
    async run(orders) {
      const remembered = await store.readOrders(sql, orders)
      const byReference = new Map(remembered.map((order) => [order.reference, order]))
      return orders.map(({ reference }) => byReference.get(reference) ?? null)
    },
  })

  return {
    operator: 'simulator',
    capabilities: { collect: true, payout: true, refund: 'partial', callback: 'signed' },
    inquiryPlan: usualInquiryPlan(minute),
    silenceAfter: usualSilence(minute),

    async send(order: Order): Promise<SendOutcome> {
      await take(order)
      const evidence = { simulator: 'took the order' }
      if (scenarioOf(order.direction, endOf(order)).answer_lost)
        return { kind: 'unknown', evidence: { simulator: 'answer lost' } }
      if (order.direction !== 'collect') return { kind: 'accepted', evidence }
      const message = 'The payer approves on the telephone.'
      return { kind: 'accepted', next_action: { type: 'approve_on_phone', message }, evidence }
    },

    async read(order: Order): Promise<ReadOutcome> {
      const remembered = await remember(order)
      if (remembered === null) return { kind: 'not_found', evidence: { simulator: 'no such order' } }
      const { delays, unreadable, end } = scenarioOf(order.direction, remembered.msisdn_end)
      if (remembered.age_ms < delays * delay_ms) {
        return unreadable
          ? { kind: 'unknown', evidence: { simulator: 'no answer' } }
          : { kind: 'pending', evidence: { simulator: 'not over yet' } }
      }
      if (end.kind === 'refused') return { ...end, evidence: { simulator: end.failure_code } }
      const amount = remembered.amount + end.amount_added
      return { kind: 'settled', amount, currency: 'XOF', evidence: { simulator: 'settled', amount } }
    },

    readCallback(raw: Buffer, headers: IncomingHttpHeaders): CallbackReading {
      const signature = Buffer.from(String(headers[SIGNATURE] ?? ''), 'hex')
      const expected = createHmac('sha256', callbackKey).update(raw).digest()
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return { kind: 'forged' }
      const { reference, time } = JSON.parse(raw.toString('utf8')) as { reference: string; time: number }
      return { kind: 'about', reference, evidence: { reference, time } }
    },
  }
}

/** The job in which the simulator calls us back, through the same door as any operator's callback. */
export function createSimulatorCallBack(callbackKey: Buffer, receive: ReceiveCallback) {
  return async ({ references, time }: { references: string[]; time: number }): Promise<void> => {
    for (const reference of references) {
      const raw = Buffer.from(JSON.stringify({ reference, time }))
      const signature = createHmac('sha256', callbackKey).update(raw).digest('hex')
      await receive('simulator', raw, { [SIGNATURE]: signature })
    }
  }
}

function endOf(order: Order): string {
  return order.msisdn?.last4 ?? ''
}
