import assert from 'node:assert/strict'
import type { Scope } from '../../src/values/caller.ts'
import { type Installation, newAddress } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { refusalsOf, routeNamed } from './interface.ts'
import { withinOneMinute } from './one-minute.ts'
import { goodRequest, nameOf, type Owner, type SweptRoute } from './sweep-owner.ts'

/** Limits of the second process, which answers the requests of routes. The first one has none and makes what a step needs. */
export const strict = { RATE_PER_KEY: '2', RATE_PER_ADDRESS: '1' }

/** A good request that faults are put into. */
export type Draft = {
  merchant: Merchant
  /** The batch, session or link that it is about; empty: none. */
  id: string
  asked: Asked & { body?: Record<string, unknown> }
  scope: Scope
  /** The address it comes from, and those its key may be used from (none: any). */
  address: string
  allow: string[]
  /** Done last, those of the earlier fault first, with the key that the request will carry. */
  finally: ((key: string) => Promise<unknown>)[]
}

/** One thing that can be wrong with a request. */
export type Step = {
  name: string
  /** The answer says this fault. */
  check(answer: Answer, why: string): void
  put(draft: Draft, installation: Installation): Promise<unknown> | unknown
}

/** A step that is answered with a refusal. @param limit among its headers */
export function step(
  name: string,
  [status, code]: readonly [status: number, code: string],
  put: Step['put'],
  limit?: string,
): Step {
  return {
    name,
    put,
    check(answer, why) {
      checkRefusal(answer, status, code, why)
      if (limit !== undefined) assert.equal(answer.headers['ratelimit-limit'], limit, why)
    },
  }
}

/** A field of the body that is wrong. */
export function field(status: number, code: string, wrong: Record<string, unknown>): Step {
  return step(JSON.stringify(wrong), [status, code], ({ asked }) => Object.assign(asked.body!, wrong))
}

/** A call of the second process. */
const call = ({ ask }: Installation, asked: Asked, address: string) =>
  ask({ ...asked, headers: { ...asked.headers, 'X-Forwarded-For': address } }, 1)

/** The refusal of a wrong field of a body, or of a query that only has `limit=x`. */
const wrongFields: Record<string, [status: number, code: string, field?: string]> = {
  'POST /v1-payments': [422, 'invalid_amount', 'amount'],
  'POST /v1-checkout': [422, 'invalid_amount', 'amount'],
  'POST /v1-payouts': [422, 'invalid_amount', 'amount'],
  'POST /v1-payout-batches': [422, 'invalid_lines', 'lines'],
  'POST /v1-beneficiaries': [422, 'invalid_beneficiary', 'msisdn'],
  'POST /v1-settlements': [422, 'invalid_amount', 'amount'],
  'POST /x/recipients/check': [422, 'invalid_beneficiary', 'beneficiary_id'],
  'POST /x/operators/predict': [400, 'invalid_body', 'msisdn'],
  'POST /x/payments/:payment_id/code': [400, 'invalid_body', 'code'],
  'POST /x/links': [422, 'invalid_amount', 'amount'],
  'GET /x/links': [400, 'invalid_request'],
  'GET /v1-beneficiaries': [400, 'invalid_request'],
  'GET /v1-statements': [422, 'invalid_period'],
  'GET /x/payments': [400, 'invalid_request'],
  'GET /x/payouts': [400, 'invalid_request'],
  'GET /x/batches': [400, 'invalid_request'],
  'GET /x/settlements': [400, 'invalid_request'],
  'GET /x/events': [400, 'invalid_request'],
  'GET /x/requests': [400, 'invalid_request'],
}

/**
 * The faults of a request to a route up to its fields, in order of precedence (docs/en/limits.md). They are the same for all routes,
 * without those that a route cannot meet.
 */
export function commonSteps(route: SweptRoute, owner: Owner): Step[] {
  const promised = (code: string) => refusalsOf(routeNamed(nameOf(route))).find(([, one]) => one === code) ?? null
  const stepIf = (refusal: readonly [number, string] | null, name: string, put: Step['put']) =>
    refusal === null ? [] : [step(name, refusal, put)]
  const wrong = wrongFields[nameOf(route)]
  const hasFields = (route.body ?? route.query) !== undefined
  assert.ok(wrong !== undefined || !hasFields, `wrongFields in precedence-steps.ts has ${nameOf(route)}`)
  return [
    step(
      'the rate of the address',
      [429, 'rate_limit_exceeded'],
      (draft, installation) => draft.finally.push(() => call(installation, { path: '/nowhere' }, draft.address)),
      strict.RATE_PER_ADDRESS,
    ),
    step('no such address', [404, 'resource_not_found'], ({ asked }) => Object.assign(asked, { path: '/nowhere' })),
    step('another method', [405, 'method_not_allowed'], ({ asked }) => Object.assign(asked, { method: 'PUT' })),
    step('another version', [400, 'invalid_request'], ({ asked }) => {
      asked.headers = { ...asked.headers, 'Service-Version': '2020-01-01' }
    }),
    step('no key', [401, 'authentication_required'], ({ asked }) => {
      asked.headers = { ...asked.headers, Authorization: 'Basic YTpi' }
    }),
    step('a key not for this address', [401, 'invalid_api_key'], (draft) =>
      Object.assign(draft, { allow: [newAddress()] }),
    ),
    step(
      'the rate of the key',
      [429, 'rate_limit_exceeded'],
      (draft, installation) =>
        draft.finally.push(async (key) => {
          const asked = { path: '/v1-payments/wrong', key }
          for (let calls = 0; calls < 2; calls += 1) await call(installation, asked, draft.allow[0] ?? newAddress())
        }),
      strict.RATE_PER_KEY,
    ),
    ...stepIf(promised('insufficient_scope'), 'the scope', (draft) => {
      draft.scope = route.scope === 'collect' ? 'payout' : 'collect'
    }),
    ...stepIf(
      route.idempotent === true ? promised('idempotency_key_required') : null,
      'no Idempotency-Key',
      ({ asked }) => Object.assign(asked, { idempotency_key: null }),
    ),
    ...stepIf(route.params.size > 0 ? promised('invalid_id') : null, 'no id in the path', ({ asked }) => {
      asked.path = goodRequest(route, owner, 'wrong').path
    }),
    ...stepIf(
      route.body === undefined ? null : (promised('invalid_body') ?? promised('invalid_request')),
      'no JSON',
      ({ asked }) => Object.assign(asked, { text: '{' }),
    ),
    ...stepIf(hasFields ? [wrong![0], wrong![1]] : null, 'a wrong field', ({ asked }) => {
      if (route.body === undefined) asked.path = `${route.path}?limit=x`
      else asked.body![wrong![2]!] = true
    }),
  ]
}

/** A key that was used for another request. */
export const reused = (status: number) =>
  step('a key used for another request', [status, 'idempotency_key_reused'], async ({ merchant, asked }, { pay }) => {
    const idempotency_key = crypto.randomUUID()
    checkPayment(await pay(merchant.key, { amount: 1 }, { idempotency_key }), 201)
    asked.idempotency_key = idempotency_key
  })

export const inactive = step(
  'an account that may not operate',
  [403, 'merchant_inactive'],
  ({ merchant: { merchant_id }, finally: last }, { db: { sql } }) =>
    last.push(async () => sql`update merchants set active = false where merchant_id = ${merchant_id}`),
)

/**
 * Sends, for each step and each that comes after it, a request with both faults, and one with the step alone: the earlier one is said.
 * When a minute of the limits ends on the way, it is sent again.
 * @param send puts the finishing touches on a draft and asks
 */
export async function checkOrder(
  steps: readonly Step[],
  installation: Installation,
  newDraft: () => Promise<Draft>,
  send: (draft: Draft) => Promise<Answer>,
): Promise<void> {
  for (const [rank, first] of steps.entries()) {
    for (const second of [null, ...steps.slice(rank + 1)]) {
      const answer = await withinOneMinute(installation.db.sql, async () => {
        const draft = await newDraft()
        // The later one first: where both want one thing, the earlier one has it.
        await second?.put(draft, installation)
        await first.put(draft, installation)
        return send(draft)
      })
      first.check(answer, second === null ? first.name : `${first.name}, and ${second.name}`)
    }
  }
}
