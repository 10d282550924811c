import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { checkRefusal, codeOf } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { type Installation, newAddress, openInstallation } from './installation.ts'
import { refusalsOf, routeNamed } from './interface.ts'
import { withinOneMinute } from './one-minute.ts'
import { goodRequest, keyFor, nameOf, newOwner, type Owner, type SweptRoute } from './sweep-owner.ts'

// Of a request with two faults the earlier one is said, on every route: what docs/interface.md promises as far as it is the
// same for all of them. What comes after the fields is each route's own, and has tests of its own.

const limits = { RATE_PER_KEY: '2', RATE_PER_ADDRESS: '1' }

let installation: Installation
let owner: Owner
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], env: { BATCH_WAIT_SECONDS: '0' } })
  // The second process soon has enough of a key, and of an address sooner.
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: limits }))
  owner = await newOwner(installation, 'somebody', 'test')
})
after(() => installation[Symbol.asyncDispose]())

type Draft = {
  route: SweptRoute
  asked: Asked
  address: string
  isStrict: boolean
  finally: ((key: string) => Promise<void>)[]
}

/** What can be wrong, in the order in which it is said. */
type Fault = {
  name: string
  /** Null: this route cannot meet it. */
  refusal(route: SweptRoute): [status: number, code: string] | null
  headers?: Record<string, string>
  put(draft: Draft): void
}

/** The refusal with this code, as the interface has it for the route. */
const promised = (route: SweptRoute, wanted: string): [number, string] | null =>
  refusalsOf(routeNamed(nameOf(route))).find(([, code]) => code === wanted) ?? null

const call = (asked: Asked, address: string, process = 1) =>
  installation.ask({ ...asked, headers: { ...asked.headers, 'X-Forwarded-For': address } }, process)

const faults: Fault[] = [
  {
    name: 'the rate of the address',
    refusal: () => [429, 'rate_limit_exceeded'],
    headers: { 'ratelimit-limit': limits.RATE_PER_ADDRESS },
    put(draft) {
      draft.isStrict = true
      draft.finally.push(async () => {
        await call({ path: '/nowhere' }, draft.address)
      })
    },
  },
  {
    name: 'another method',
    refusal: () => [405, 'method_not_allowed'],
    put: ({ asked }) => void Object.assign(asked, { method: 'PUT' }),
  },
  {
    name: 'another version',
    refusal: () => [400, 'invalid_request'],
    put: ({ asked }) => void Object.assign(asked, { headers: { ...asked.headers, 'Service-Version': '2020-01-01' } }),
  },
  {
    name: 'no key',
    refusal: () => [401, 'authentication_required'],
    put: ({ asked }) => void Object.assign(asked, { headers: { ...asked.headers, Authorization: 'Basic YTpi' } }),
  },
  {
    name: 'the rate of the key',
    refusal: () => [429, 'rate_limit_exceeded'],
    headers: { 'ratelimit-limit': limits.RATE_PER_KEY },
    put(draft) {
      draft.isStrict = true
      draft.finally.push(async (key) => {
        for (let calls = 0; calls < 2; calls += 1) await call({ path: '/v1-payments/wrong', key }, newAddress())
      })
    },
  },
  {
    name: 'the scope',
    refusal: (route) => promised(route, 'insufficient_scope'),
    put(draft) {
      const { scope } = draft.route
      draft.asked.key = scope === 'collect' ? 'payout' : 'collect'
    },
  },
  {
    name: 'no Idempotency-Key',
    refusal: (route) => (route.idempotent === true ? promised(route, 'idempotency_key_required') : null),
    put: ({ asked }) => void Object.assign(asked, { idempotency_key: null }),
  },
  {
    name: 'no id in the path',
    refusal: (route) => (route.params.size > 0 ? promised(route, 'invalid_id') : null),
    put(draft) {
      draft.asked.path = goodRequest(draft.route, owner, 'wrong').path
    },
  },
  {
    name: 'no JSON',
    refusal: (route) =>
      route.body === undefined ? null : (promised(route, 'invalid_body') ?? promised(route, 'invalid_request')),
    put: ({ asked }) => void Object.assign(asked, { text: '{' }),
  },
  {
    name: 'a wrong field',
    refusal: ({ body, query, ...route }) => ((body ?? query) === undefined ? null : wrongFields[nameOf(route)]!),
    put({ route, asked }) {
      if (route.body === undefined) asked.path = `${route.path}?limit=x`
      else asked.body = {}
    },
  },
]

/** What is said of a body without a field, or of a query that only has `limit=x`. */
const wrongFields: Record<string, [status: number, code: string]> = {
  'POST /v1-payments': [422, 'invalid_amount'],
  'POST /v1-checkout': [422, 'invalid_amount'],
  'POST /v1-payouts': [422, 'invalid_amount'],
  'POST /v1-payout-batches': [422, 'invalid_lines'],
  'POST /v1-beneficiaries': [422, 'invalid_beneficiary'],
  'POST /v1-settlements': [422, 'invalid_amount'],
  'GET /v1-beneficiaries': [400, 'invalid_request'],
  'GET /v1-statements': [422, 'invalid_period'],
  'GET /x/events': [400, 'invalid_request'],
}

for (const route of apiRoutes) {
  test(`${nameOf(route)}: of two faults the earlier one is said`, async () => {
    const known = faults.flatMap((fault) => {
      const refusal = fault.refusal(route)
      return refusal === null ? [] : [{ fault, refusal }]
    })
    assert.ok(known.length >= 5)
    for (const [rank, { fault: first, refusal }] of known.entries()) {
      for (const second of [null, ...known.slice(rank + 1).map(({ fault }) => fault)]) {
        const why = `${nameOf(route)}: ${first.name}${second === null ? '' : `, and ${second.name}`}`
        const answer = await meet(route, first, second)
        checkRefusal(answer, ...refusal, why)
        for (const [name, value] of Object.entries(first.headers ?? {})) assert.equal(answer.headers[name], value, why)
      }
    }
  })
}

/** Sends a request with both faults. When a minute of the limits ends on the way, it is sent again. */
function meet(route: SweptRoute, first: Fault, second: Fault | null): Promise<Answer> {
  return withinOneMinute(installation.db.sql, async () => {
    const draft: Draft = {
      route,
      asked: goodRequest(route, owner),
      address: newAddress(),
      isStrict: false,
      finally: [],
    }
    // The later one first: where both want one thing, the earlier one has it.
    second?.put(draft)
    first.put(draft)
    const { key } = draft.asked
    const scope =
      key === 'collect' || key === 'payout' ? key : keyFor(route, owner) === owner.keys.collect ? 'collect' : 'payout'
    // A key of its own, so that nobody has called with it.
    const asked = { ...draft.asked, key: (await owner.merchant.newKey('test', scope)).key }
    for (const finish of draft.finally) await finish(asked.key)
    return await call(asked, draft.address, draft.isStrict ? 1 : 0)
  })
}

/** The fields of each body in the order of the interface's table. */
const fieldsInOrder: Record<string, readonly string[]> = {
  'POST /v1-payments': [
    'amount',
    'currency',
    'operator',
    'counterparty',
    'merchant_reference',
    'description',
    'metadata',
    'simulate',
  ],
  'POST /v1-checkout': ['amount', 'currency', 'description', 'return_url'],
  'POST /v1-payouts': ['amount', 'currency', 'beneficiary_id', 'beneficiary', 'reference'],
  'POST /v1-payout-batches': ['reference', 'currency', 'lines'],
  'POST /v1-beneficiaries': ['msisdn', 'operator', 'name'],
  'POST /v1-settlements': ['amount', 'beneficiary'],
}

test('of two wrong fields the one that stands first in the interface is said', async () => {
  for (const route of apiRoutes.filter(({ body }) => body !== undefined)) {
    const fields = fieldsInOrder[nameOf(route)]!
    const ask = async (...wrong: string[]) => {
      const asked = goodRequest(route, owner)
      // Nothing takes `true`.
      const body = { ...(asked.body as object), ...Object.fromEntries(wrong.map((field) => [field, true])) }
      return codeOf(await installation.ask({ ...asked, body }))
    }
    for (const [rank, first] of fields.entries()) {
      const alone = await ask(first)
      assert.ok(alone !== null, `${nameOf(route)}: a wrong ${first} is refused`)
      for (const second of fields.slice(rank + 1)) {
        assert.equal(await ask(first, second), alone, `${nameOf(route)}: ${first}, then ${second}`)
      }
    }
  }
})
