import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { type Installation, newAddress, newPayer, openInstallation } from '../harness/installation.ts'
import { checkPayment, checkRefusal, codeOf } from './answers.ts'
import { json } from './payer.ts'
import { pageLimits, pageOrders } from './precedence-of-pages.ts'
import { COLLECTION_AMOUNT_MAX, ownSteps } from './precedence-of-routes.ts'
import { checkOrder, commonSteps, type Draft, strict } from './precedence-steps.ts'
import { goodRequest, keyFor, nameOf, newOwner, type Owner } from './sweep-owner.ts'

// Of a request with two faults the earlier one is said: the order that docs/en/limits.md promises, on every route and page.

let installation: Installation
let owner: Owner
before(async () => {
  const env = { ...pageLimits, COLLECTION_AMOUNT_MAX: String(COLLECTION_AMOUNT_MAX), BATCH_WAIT_SECONDS: '0' }
  installation = await openInstallation({ env, processes: [['--only', 'api']] })
  // The second process has a low rate limit for each key and a lower one for each address, and knows none of the first one's callers.
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: strict }))
  owner = await newOwner(installation, 'somebody', 'test')
})
after(() => installation[Symbol.asyncDispose]())

for (const route of apiRoutes) {
  const own = ownSteps[nameOf(route)]
  test(`${nameOf(route)}: of two faults the refusal names the earlier one`, async () => {
    const steps = [...commonSteps(route, owner), ...(own?.steps ?? [])]
    assert.ok(steps.length >= 7)
    const newDraft = async (): Promise<Draft> => {
      const asked = goodRequest(route, owner) as Draft['asked']
      const scope = keyFor(route, owner) === owner.keys.collect ? 'collect' : 'payout'
      const good = (await own?.good(installation)) ?? { merchant: owner.merchant }
      const draft = { id: '', asked, scope, address: newAddress(), allow: [], finally: [], ...good } as Draft
      if (nameOf(route) === 'POST /v1-settlements') draft.asked.body!.beneficiary = draft.id
      return draft
    }
    await checkOrder(steps, installation, newDraft, async ({ merchant, scope, allow, address, asked, ...draft }) => {
      // A key of its own, without any call so far.
      const { key } = await merchant.newKey('test', scope, allow)
      for (const act of draft.finally.toReversed()) await act(key)
      return installation.ask({ ...asked, key, headers: { 'X-Forwarded-For': address, ...asked.headers } }, 1)
    })
  })
}

for (const [name, { steps, good }] of Object.entries(pageOrders)) {
  test(`on the page of a ${name} the refusal names the earlier of two faults`, async () => {
    const newDraft = async (): Promise<Draft> => {
      const { merchant, id, path, body } = await good(installation)
      const asked = { method: 'POST', path, body: body!, headers: json }
      return { merchant, id, asked, scope: 'collect', address: newAddress(), allow: [], finally: [] }
    }
    await checkOrder(steps, installation, newDraft, async ({ address, asked, ...draft }) => {
      for (const act of draft.finally.toReversed()) await act('')
      return installation.ask({ ...asked, headers: { 'X-Forwarded-For': address, ...asked.headers } })
    })
  })
}

/** The fields of each body in the order of the interface's table. */
const fieldsInOrder: Record<string, string> = {
  'POST /v1-payments': 'amount currency operator counterparty merchant_reference description metadata simulate',
  'POST /v1-checkout': 'amount currency description return_url',
  'POST /v1-payouts': 'amount currency beneficiary_id beneficiary reference',
  'POST /v1-payout-batches': 'reference currency lines',
  'POST /v1-beneficiaries': 'msisdn operator name',
  'POST /v1-settlements': 'amount beneficiary',
  'POST /x/links': 'amount min_amount max_amount currency description reusable expires_at',
  'POST /x/recipients/check': 'beneficiary_id beneficiary',
  'POST /x/operators/predict': 'msisdn',
  'POST /x/payments/:payment_id/code': 'code',
}

test('of two wrong fields the refusal names the one that comes first in the interface', async () => {
  for (const route of apiRoutes.filter(({ body }) => body !== undefined)) {
    const fields = fieldsInOrder[nameOf(route)]?.split(' ')
    assert.ok(fields !== undefined, `fieldsInOrder in precedence.test.ts has ${nameOf(route)}`)
    const ask = async (...wrong: string[]) => {
      const asked = goodRequest(route, owner)
      // Nothing takes `true`, but what is true or false.
      const wrongly = wrong.map((field) => [field, field === 'reusable' ? 'yes' : true])
      const body = { ...(asked.body as object), ...Object.fromEntries(wrongly) }
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

test('a replay is answered although the account, the limits and the payer no longer allow it', async () => {
  const { key, merchant_id, newKey } = await installation.newMerchant()
  const again = { idempotency_key: randomUUID() }
  const body = { amount: 100, merchant_reference: randomUUID(), counterparty: { msisdn: newPayer() } }
  const original = await installation.pay(key, body, again)
  checkPayment(original, 201)
  const { sql } = installation.db
  await sql`update merchants set active = false, collection_amount_max = 1 where merchant_id = ${merchant_id}`
  // With another key, because no process has cached the status of its merchant yet.
  const replay = await installation.pay((await newKey('test', 'collect')).key, body, again)
  checkPayment(replay, 201)
  assert.equal(replay.text, original.text)
})

test('reading: the id is checked after the key and before the payment', async () => {
  const { newKey } = await installation.newMerchant()
  const { key } = await newKey('test', 'payout')
  const read = (id: string, sent: string | null) => installation.ask({ path: `/v1-payments/${id}`, key: sent })
  checkRefusal(await read('wrong', null), 401, 'authentication_required')
  checkRefusal(await read('wrong', 'wrong'), 401, 'invalid_api_key')
  checkRefusal(await read('wrong', key), 422, 'invalid_id')
  checkRefusal(await read('txn_0', key), 404, 'resource_not_found')
})
