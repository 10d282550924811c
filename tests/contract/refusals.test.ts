import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { errorMessages } from '../../src/values/error-codes.ts'
import { type Installation, newAddress, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import type { Asked } from './ask.ts'
import { batchRefusals } from './batch-refusal-cases.ts'
import { beneficiaryRefusals } from './beneficiary-refusal-cases.ts'
import { checkoutRefusals } from './checkout-refusal-cases.ts'
import { feedRefusals } from './feed-refusal-cases.ts'
import { elsewhere, refusalsOf, routeNamed, routes } from './interface.ts'
import { linkRefusals } from './link-refusal-cases.ts'
import { listRefusals } from './list-refusal-cases.ts'
import { countRows, type RefusalCase } from './meet-refusals.ts'
import { paymentRefusals } from './payment-refusal-cases.ts'
import { payoutRefusals } from './payout-refusal-cases.ts'
import { recipientRefusals } from './recipient-refusal-cases.ts'
import { newSender } from './sender.ts'
import { settlementRefusals } from './settlement-refusal-cases.ts'
import { statementRefusals } from './statement-refusal-cases.ts'
import { addedCodes, catalogue, unmetCodes } from './unmet-codes.ts'
import { extensionRefusals } from './x-refusal-cases.ts'

const cases: readonly RefusalCase[] = [
  ...paymentRefusals,
  ...checkoutRefusals,
  ...payoutRefusals,
  ...batchRefusals,
  ...beneficiaryRefusals,
  ...settlementRefusals,
  ...statementRefusals,
  ...extensionRefusals,
  ...feedRefusals,
  ...linkRefusals,
  ...listRefusals,
  ...recipientRefusals,
]

/** Calls of one address in a minute, to the third process. */
const ADDRESS_LIMIT = '20'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '10' } })
  // A second process that is soon told too much by a key, and on a page; a third by a payer, and by an address.
  for (const env of [
    { RATE_PER_KEY: '5', PAGE_ATTEMPTS_PER_ADDRESS: '5' },
    { PAYER_ATTEMPTS_MAX: '1', RATE_PER_ADDRESS: ADDRESS_LIMIT, RECIPIENT_CHECKS_PER_MERCHANT: '2' },
  ]) {
    installation.services.push(await installation.start({ args: ['--only', 'api'], env }))
  }
})
after(() => installation[Symbol.asyncDispose]())

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const line = (route: string, status: number | string, code: string) => `${route} ${status} ${code}`
const pairs = (refusals: readonly [number, string][]) => refusals.map((refusal) => refusal.join(' '))

test('every refusal of every route has a case, and every case a promised refusal', () => {
  const promised = routes.flatMap((route) =>
    refusalsOf(route).map(([status, code]) => line(nameOf(route), status, code)),
  )
  assert.ok(promised.length > 150, 'the tables were read')
  const met = new Set(cases.map(({ route, status, code }) => line(route, status, code)))
  const why =
    'each promised refusal has a case in a file tests/contract/*-refusal-cases.ts, whose list is among `cases` here'
  assert.deepEqual([...met.symmetricDifference(new Set(promised))], [], why)
})

const answered = new Set(pairs([...routes, { refusals: elsewhere, added: {} }].flatMap(refusalsOf)))
const catalogued = pairs(refusalsOf({ refusals: catalogue, added: {} }))

test("every code of the interface's table of errors is answered somewhere with its status", () => {
  assert.deepEqual(
    catalogued.filter((pair) => !answered.has(pair)),
    [],
  )
})

test('the service answers only codes of that table and those that we added', () => {
  const added = addedCodes.map(({ status, code }) => `${status} ${code}`)
  const own = [...answered].filter((pair) => !catalogued.includes(pair))
  const why = 'addedCodes in tests/contract/unmet-codes.ts has each code that the interface lacks'
  assert.deepEqual(own.sort(), added.sort(), why)
  const codes = new Set([...answered].map((pair) => pair.split(' ')[1]))
  assert.deepEqual(
    Object.keys(errorMessages).filter((code) => !codes.has(code)),
    [],
    'a code of src/values/error-codes.ts is promised by a route of tests/contract/interface.ts or extensions.ts',
  )
  for (const [code, why] of Object.entries(unmetCodes)) {
    assert.ok(!(code in errorMessages), `${code} is answered by nothing`)
    assert.ok(why.length > 10)
  }
})

/** The refusals that are declared once, for every route with the same authentication. */
const ofDoor = /^(?:400 invalid_request|401 .*|403 insufficient_scope|429 rate_limit_exceeded)$/

test('routes declare exactly what the interface promises', () => {
  const why = 'tests/contract/interface.ts promises the routes under /v1-, and extensions.ts beside it those under /x/'
  assert.deepEqual(apiRoutes.map(nameOf).sort(), routes.map(nameOf).sort(), why)
  for (const route of apiRoutes) {
    const promised = routeNamed(nameOf(route))
    assert.deepEqual(Object.keys(route.replies).map(Number), promised.successes, nameOf(route))
    const own = (refusals: readonly [number, string][]) =>
      pairs(refusals)
        .filter((refusal) => !ofDoor.test(refusal))
        .sort()
    assert.deepEqual(own(refusalsOf({ refusals: route.errors, added: {} })), own(refusalsOf(promised)), nameOf(route))
    const scoped = refusalsOf(promised).some(([, code]) => code === 'insufficient_scope')
    assert.equal(route.scope !== undefined && route.scope !== 'any', scoped, `${nameOf(route)} and scopes`)
  }
})

// One test for each code, so that a failure names it.
for (const [title, group] of Map.groupBy(cases, ({ route, status, code }) => line(route, status, code))) {
  test(`${title}: ${group.length === 1 ? group[0]!.why : `${group.length} cases`}`, async () => {
    for (const refusal of group) await meet(refusal)
  })
}

async function meet({ why, status, code, prepare }: RefusalCase): Promise<void> {
  const sender = await newSender(installation)
  const { asked, process, after } = await prepare({ installation, sender })
  const meeting = async () => {
    const before = await countRows(installation, sender)
    const answer = await installation.ask(asked, process)
    return { before, answer, rows: await countRows(installation, sender) }
  }
  const { before, answer, rows } = await meeting().finally(() => after?.())
  const message = checkRefusal(answer, status, code, why)
  assert.doesNotMatch(message, /select|insert|\/src\/|postgres/i, 'an answer tells nothing of our inside')
  assert.deepEqual(rows, before, `${why}: a refused request writes nothing, also not to the book`)
}

/** Calls from a new address. */
function fromAddress(process?: number) {
  const headers = { 'X-Forwarded-For': newAddress() }
  return (asked: Asked) => installation.ask({ ...asked, headers }, process)
}

test('an address that does not exist is not found, whatever the method and the key', async () => {
  const { key } = await installation.newMerchant()
  const ask = fromAddress()
  checkRefusal(await ask({ path: '/' }), 404, 'resource_not_found', 'it is a page, and none is asked for')
  const paths = ['/v1-payment', '/v1-payments/txn_1/refund', '/V1-PAYMENTS', '/v2-payments', '/.env', '/v1-refunds']
  for (const path of paths) {
    checkRefusal(await ask({ path }), 404, 'resource_not_found', path)
    checkRefusal(await ask({ path, method: 'DELETE', key }), 404, 'resource_not_found', path)
  }
})

test('an address that exists refuses other methods and names its own', async () => {
  const { key } = await installation.newMerchant()
  const known: [path: string, methods: string[], allow: string][] = [
    ['/', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD'],
    ['/v1-payments', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'POST'],
    ['/v1-payments/txn_1', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET'],
  ]
  for (const [path, methods, allow] of known) {
    for (const method of methods) {
      const answer = await fromAddress()({ path, method, key })
      checkRefusal(answer, 405, 'method_not_allowed', `${method} ${path}`)
      assert.equal(answer.headers.allow, allow)
    }
  }
})

test('the limit of an address is checked before anything else, and does not affect other addresses', async () => {
  const ask = fromAddress(2)
  const refused = await waitFor(
    async () => {
      const answer = await ask({ path: '/nowhere' })
      return answer.status === 429 && answer
    },
    { what: 'the limit of an address' },
  )
  checkRefusal(refused, 429, 'rate_limit_exceeded')
  assert.equal(refused.headers['ratelimit-limit'], ADDRESS_LIMIT)
  assert.equal(refused.headers['ratelimit-remaining'], '0')
  checkRefusal(await fromAddress(2)({ path: '/nowhere' }), 404, 'resource_not_found', 'another address')
})
