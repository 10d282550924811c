import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { type Installation, newAddress, openInstallation } from './installation.ts'
import { refusalsOf, routeNamed, routes } from './interface.ts'
import { limits, type RefusalCase, refusalCases, type Stage } from './refusal-cases.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: limits, processes: [[], ['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const line = (route: string, status: number | string, code: string) => `${route} ${status} ${code}`

async function newStage(): Promise<Stage> {
  const address = newAddress()
  return {
    installation,
    merchant: await installation.newMerchant(),
    ask: (asked, process) =>
      installation.ask({ ...asked, headers: { 'X-Forwarded-For': address, ...asked.headers } }, process),
  }
}

test('every refusal of a payment is met by a case, and no case meets another', () => {
  const ofPayments = routes.filter(({ path }) => path.startsWith('/v1-payments'))
  const promised = ofPayments.flatMap((route) =>
    refusalsOf(route).map(([status, code]) => line(nameOf(route), status, code)),
  )
  const met = new Set(refusalCases.map(({ route, status, code }) => line(route, status, code)))
  assert.deepEqual([...met].sort(), promised.sort())
})

/** What is declared once, with the door, for every route behind it. */
const ofDoor = /^(?:400 invalid_request|401 .*|403 insufficient_scope|429 rate_limit_exceeded)$/

test('routes declare what the interface promises, and nothing else', () => {
  assert.deepEqual(apiRoutes.map(nameOf).sort(), routes.map(nameOf).sort())
  for (const route of apiRoutes) {
    const promised = routeNamed(nameOf(route))
    assert.deepEqual(Object.keys(route.replies).map(Number), promised.successes, nameOf(route))
    const own = (refusals: [number, string][]) =>
      refusals
        .map((refusal) => refusal.join(' '))
        .filter((refusal) => !ofDoor.test(refusal))
        .sort()
    assert.deepEqual(own(refusalsOf({ refusals: route.errors, added: {} })), own(refusalsOf(promised)), nameOf(route))
    const scoped = refusalsOf(promised).some(([, code]) => code === 'insufficient_scope')
    assert.equal(route.scope !== undefined && route.scope !== 'any', scoped, `${nameOf(route)} and scopes`)
  }
})

// One test for each code, so that a failure names it.
for (const [title, cases] of Map.groupBy(refusalCases, ({ route, status, code }) => line(route, status, code))) {
  test(`${title}: ${cases.length === 1 ? cases[0]!.why : `${cases.length} cases`}`, async () => {
    for (const refusal of cases) await meet(refusal)
  })
}

async function meet({ why, status, code, answer }: RefusalCase): Promise<void> {
  const rowsBefore = await countRows()
  const stage = await newStage()
  const message = checkRefusal(await answer(stage), status, code, why)
  assert.doesNotMatch(message, /select|insert|\/src\/|postgres/i, 'an answer tells nothing of our inside')
  const created = await countOf(stage.merchant.merchant_id)
  assert.equal((await countRows()) - rowsBefore, created, `${why}: a refused request writes nothing`)
}

/** Payments of a case's merchant: those its story needed. */
async function countOf(merchant_id: number): Promise<number> {
  const [row] = await installation.db.sql<{ payments: number }[]>`
    select count(*)::int as payments from payments where merchant_id = ${merchant_id}`
  return row!.payments
}

/** Kept answers, payments, and what is sent or waits to be: as many of each, or somebody left half of something. */
async function countRows(): Promise<number> {
  const [row] = await installation.db.sql<{ payments: number; answers: number; sent: number }[]>`
    select (select count(*)::int from payments) as payments,
           (select count(*)::int from idempotency_keys) as answers,
           (select count(*)::int from instructions)
             + (select count(*)::int from waiting_collections cross join json_array_elements(collections)) as sent`
  const { payments, answers, sent } = row!
  assert.deepEqual([answers, sent], [payments, payments])
  return payments
}

test('an address that does not exist is not found, whatever the method and the key', async () => {
  const { ask, merchant } = await newStage()
  const paths = [
    '/',
    '/v1-payment',
    '/v1-payments/txn_1/refund',
    '/V1-PAYMENTS',
    '/v2-payments',
    '/.env',
    '/v1-refunds',
  ]
  for (const path of paths) {
    checkRefusal(await ask({ path }), 404, 'resource_not_found', path)
    checkRefusal(await ask({ path, method: 'DELETE', key: merchant.key }), 404, 'resource_not_found', path)
  }
})

test('an address that exists refuses other methods and names its own', async () => {
  const known: [path: string, methods: string[], allow: string][] = [
    ['/v1-payments', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'POST'],
    ['/v1-payments/txn_1', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET'],
  ]
  for (const [path, methods, allow] of known) {
    const { ask, merchant } = await newStage()
    for (const method of methods) {
      const answer = await ask({ path, method, key: merchant.key })
      checkRefusal(answer, 405, 'method_not_allowed', `${method} ${path}`)
      assert.equal(answer.headers.allow, allow)
    }
  }
})

test('calls from one address are limited before anything else is looked at, and others are not', async () => {
  const { ask } = await newStage()
  const refused = await waitFor(
    async () => {
      const answer = await ask({ path: '/nowhere' })
      return answer.status === 429 && answer
    },
    { deadline_ms: 10_000, what: 'the limit of an address' },
  )
  checkRefusal(refused, 429, 'rate_limit_exceeded')
  assert.equal(refused.headers['ratelimit-limit'], limits.RATE_PER_ADDRESS)
  assert.equal(refused.headers['ratelimit-remaining'], '0')
  checkRefusal(await (await newStage()).ask({ path: '/nowhere' }), 404, 'resource_not_found', 'another address')
})
