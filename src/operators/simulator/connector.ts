import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createGroupCall, createGroupCommit } from '../../platform/commands/group-commit.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import type { Secret } from '../../values/secret.ts'
import type { ReceiveCallback } from '../callbacks/receive-callback.ts'
import {
  type CallbackReading,
  type Connector,
  type Order,
  type ReadOutcome,
  type ReferencePromise,
  type SendOutcome,
  usualInquiryPlan,
  usualSilence,
} from '../port.ts'
import { divideByOwner, type SimulatorCallback, simulatorCallbackJob } from '../sending/jobs.ts'
import { endBy, holderMatch, nextActionOf, type PayerWord, RIGHT_CODE, scenarioOf } from './scenarios.ts'
import * as store from './store.ts'

type Dependencies = {
  sql: Sql
  /** The simulator's unit of time: the delay of a payer, and the unit of the plan of inquiries. */
  delay_ms: number
  /** Signs the simulator's callbacks. */
  callbackKey: Buffer
  /** Scheme, host and port of the page that replaces the operator's app. */
  origin: () => string
}

const SIGNATURE = 'x-simulator-signature'

/** The unit for inquiries when the simulator has no delay, so that inquiries still pause. */
const MINUTE_WITHOUT_DELAY = 200

/**
 * The operator of test mode: a connector like the others, with its own table in place of an operator's memory. It accepts
 * orders, waits, sends callbacks and answers inquiries. The end of the payer's number chooses the scenario.
 */
export function createSimulator({ sql, delay_ms, callbackKey, origin }: Dependencies): Connector {
  const minute = delay_ms === 0 ? MINUTE_WITHOUT_DELAY : delay_ms
  const promise: ReferencePromise = {
    same_reference: 'never_twice',
    not_found: { after_seconds: Math.ceil(minute / 1_000), times: 3 },
  }

  const take = createTake(sql, delay_ms)
  const remember = createRemember(sql)

  return {
    name: 'simulator',
    callbacks: 'signed',
    withoutCircuit: true,
    capabilitiesOf: (operator) => ({
      collect: true,
      collect_without_number: operator === 'wave_ci',
      collects_from_number: true,
      payout: true,
      refund: 'partial',
    }),
    promises: { collect: promise, payout: promise, refund: promise },
    inquiryPlan: usualInquiryPlan(minute),
    silenceAfter: usualSilence(minute),
    secondAnswerAfter: delay_ms,

    async send(order: Order): Promise<SendOutcome> {
      const taken = await take(order)
      if (taken === 'other')
        return { kind: 'unknown', evidence: { simulator: 'has another order with this reference' } }
      if (scenarioOf(order.direction, endOf(order)).answer_lost)
        return { kind: 'unknown', evidence: { simulator: 'answer lost' } }
      const kind = taken === 'held' ? 'duplicate' : 'accepted'
      const evidence = { simulator: taken === 'held' ? 'holds this order' : 'took the order' }
      if (order.direction !== 'collect') return { kind, evidence }
      const app_url = `${origin()}/simulator/${order.reference}`
      return { kind, next_action: nextActionOf(scenarioOf('collect', endOf(order)), app_url), evidence }
    },

    async read(order: Order): Promise<ReadOutcome> {
      const remembered = await remember(order)
      if (remembered === null) return { kind: 'not_found', evidence: { simulator: 'no such order' } }
      const { delays, unreadable, end: usual } = scenarioOf(order.direction, remembered.msisdn_end)
      const said = endBy(remembered.payer_says)
      const end = said ?? usual
      if (said === null && remembered.age_ms < delays * delay_ms) {
        return unreadable
          ? { kind: 'unknown', evidence: { simulator: 'no answer' } }
          : { kind: 'pending', evidence: { simulator: 'not over yet' } }
      }
      if (end.kind === 'refused') return { ...end, evidence: { simulator: end.failure_code } }
      const amount = remembered.amount + end.amount_added
      return { kind: 'settled', amount, currency: 'XOF', evidence: { simulator: 'settled', amount } }
    },

    async submitCode(order: Order, code: Secret): Promise<ReadOutcome> {
      await keepPayerWord(sql, order, code.reveal() === RIGHT_CODE ? 'yes' : 'wrong_code', delay_ms)
      return { kind: 'pending', evidence: { simulator: 'took a code' } }
    },

    checkRecipient: async ({ msisdn }) => holderMatch(msisdn.last4),

    readCallback(raw: Buffer, headers: IncomingHttpHeaders): CallbackReading {
      const signature = Buffer.from(String(headers[SIGNATURE] ?? ''), 'hex')
      const expected = createHmac('sha256', callbackKey).update(raw).digest()
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return { kind: 'forged' }
      const { reference, time } = JSON.parse(raw.toString('utf8')) as { reference: string; time: number }
      return { kind: 'about', reference, evidence: { reference, time } }
    },
  }
}

/** Tries all orders as new in one statement. If one is not new, each is tried alone. */
function createTake(sql: Sql, delay_ms: number) {
  return createGroupCommit<Order, 'taken' | 'held' | 'other'>(sql, {
    tenantOf: (order) => order,
    turnOf: ({ merchant_id }) => String(merchant_id),
    async run(tx, orders) {
      const taken = orders.map((order) => ({ ...order, msisdn_end: endOf(order) }))
      const [first, ...others] = taken
      const of = first !== undefined && others.length === 0 ? await store.takeOrder(tx, first) : 'taken'
      if (others.length > 0) store.insertOrders(tx, taken)
      if (of === 'taken') enqueue(tx, simulatorCallbackJob, callbacksOf(taken, delay_ms))
      return orders.map(() => of)
    },
  })
}

/** Reads orders, null for each that was never taken. */
function createRemember(sql: Sql) {
  return createGroupCall<Order, store.RememberedOrder | null>(sql, {
    tenantOf: (order) => order,
    turnOf: ({ merchant_id }) => String(merchant_id),
    async run(orders) {
      const remembered = await store.readOrders(sql, orders)
      const byReference = new Map(remembered.map((order) => [order.reference, order]))
      return orders.map(({ reference }) => byReference.get(reference) ?? null)
    },
  })
}

/** The most callbacks in one job. */
const CALLED_TOGETHER = 256

/** The jobs that will send the callbacks of these orders. Callbacks due at the same time share a job. */
function callbacksOf(taken: readonly store.TakenOrder[], delay_ms: number) {
  const calls = taken.flatMap(({ merchant_id, direction, msisdn_end, reference }) => {
    const { callbacks, delays } = scenarioOf(direction, msisdn_end)
    return [1, 2].filter((time) => callbacks >= time).map((time) => ({ merchant_id, time, delays, reference }))
  })
  return [...Map.groupBy(calls, ({ time, delays }) => `${time}/${delays}`).values()].flatMap((group) => {
    const { time, delays } = group[0]!
    return divideByOwner(group, CALLED_TOGETHER).map(({ owner, some }) => ({
      payload: { references: some.map(({ reference }) => reference), time, owner },
      owner,
      weight: some.length,
      delay_ms: delays * delay_ms,
    }))
  })
}

/** Records the first answer of a payer to a waiting order, and schedules its callback. */
export async function keepPayerWord(
  sql: Sql,
  { merchant_id, livemode, reference }: Pick<Order, 'merchant_id' | 'livemode' | 'reference'>,
  word: PayerWord,
  delay_ms: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    const first = await store.keepWord(tx, { merchant_id, livemode, reference }, word)
    if (first) enqueue(tx, simulatorCallbackJob, [{ payload: { references: [reference], time: 1 }, delay_ms }])
  })
}

/** The job that sends the simulator's callbacks through the public route, like any operator. */
export function createSimulatorCallBack(callbackKey: Buffer, receive: ReceiveCallback) {
  return async ({ references, time, owner = '' }: SimulatorCallback): Promise<void> => {
    await Promise.all(
      references.map((reference) => {
        const raw = Buffer.from(JSON.stringify({ reference, time }))
        const signature = createHmac('sha256', callbackKey).update(raw).digest('hex')
        const call = { connector: 'simulator', token: null, raw, headers: { [SIGNATURE]: signature } }
        return receive(call, owner)
      }),
    )
  }
}

function endOf(order: Order): string {
  return order.msisdn?.last4 ?? ''
}
