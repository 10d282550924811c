import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../src/words/error-codes.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import type { Answer } from './ask.ts'
import { type Installation, type Merchant, type Mode, newAddress, newPayer, openInstallation } from './installation.ts'
import { withinOneMinute } from './one-minute.ts'

const limits = { RATE_PER_KEY: '5', RATE_PER_ADDRESS: '8', PAYER_ATTEMPTS_MAX: '1', COLLECTION_AMOUNT_MAX: '50000' }

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: limits })
})
after(() => installation[Symbol.asyncDispose]())

/** A good request that faults are put into, one by one. */
type Draft = {
  merchant: Merchant
  address: string
  /** Addresses its key may be used from. */
  allow: string[]
  scope: 'collect' | 'payout'
  method: string
  path: string
  /** Null: the merchant's new key. */
  key: string | null
  idempotency_key: string | undefined
  headers: Record<string, string>
  body: Record<string, unknown>
  unreadable: boolean
  /** Done last, with the key that the request will carry. */
  finally: ((key: string) => Promise<void>)[]
}

/** What can be wrong with a request, in the order in which it is said (docs/interface.md). */
type Fault = {
  name: string
  status: number
  code: ErrorCode
  /** Among the headers of the refusal. */
  headers?: Record<string, string>
  put(draft: Draft): Promise<void> | void
}

const faults: Fault[] = [
  {
    name: 'the rate of the address',
    status: 429,
    code: 'rate_limit_exceeded',
    headers: { 'ratelimit-limit': limits.RATE_PER_ADDRESS },
    put: (draft) => {
      draft.finally.push(async () => {
        await callUntilRefused(draft.address, null)
      })
    },
  },
  {
    name: 'no such address',
    status: 404,
    code: 'resource_not_found',
    put: (draft) => {
      draft.path = '/v1-payment'
    },
  },
  {
    name: 'another method',
    status: 405,
    code: 'method_not_allowed',
    put: (draft) => {
      draft.method = 'PUT'
    },
  },
  {
    name: 'another version',
    status: 400,
    code: 'invalid_request',
    put: (draft) => {
      draft.headers['Service-Version'] = '2020-01-01'
    },
  },
  {
    name: 'no key',
    status: 401,
    code: 'authentication_required',
    put: (draft) => {
      draft.headers.Authorization = 'Basic YTpi'
    },
  },
  {
    name: 'a key not for this address',
    status: 401,
    code: 'invalid_api_key',
    put: (draft) => {
      draft.allow = [newAddress()]
    },
  },
  {
    name: 'the rate of the key',
    status: 429,
    code: 'rate_limit_exceeded',
    headers: { 'ratelimit-limit': limits.RATE_PER_KEY },
    put: (draft) => {
      draft.finally.push(async (key) => {
        await callUntilRefused(draft.allow[0] ?? newAddress(), key)
      })
    },
  },
  {
    name: 'the scope',
    status: 403,
    code: 'insufficient_scope',
    put: (draft) => {
      draft.scope = 'payout'
    },
  },
  {
    name: 'no Idempotency-Key',
    status: 400,
    code: 'idempotency_key_required',
    put: (draft) => {
      draft.idempotency_key = undefined
    },
  },
  {
    name: 'no JSON',
    status: 400,
    code: 'invalid_body',
    put: (draft) => {
      draft.unreadable = true
    },
  },
  field('invalid_amount', { amount: '100' }),
  field('invalid_currency', { currency: 'EUR' }),
  field('invalid_operator', { operator: 'nobody_ci' }),
  field('invalid_msisdn', { counterparty: { msisdn: '123' } }),
  { ...field('invalid_body', { merchant_reference: 5 }), status: 400 },
  {
    name: 'a key used for another request',
    status: 422,
    code: 'idempotency_key_reused',
    put: async (draft) => {
      const idempotency_key = randomUUID()
      if (draft.idempotency_key !== undefined) draft.idempotency_key = idempotency_key
      await payWith(draft.merchant, { amount: 1 }, idempotency_key)
    },
  },
  {
    name: 'an account that may not operate',
    status: 403,
    code: 'merchant_inactive',
    put: (draft) => {
      draft.finally.unshift(async () => {
        const { merchant_id } = draft.merchant
        await installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`
      })
    },
  },
  {
    name: 'a reference that is taken',
    status: 409,
    code: 'duplicate_reference',
    put: async (draft) => {
      const merchant_reference = randomUUID()
      draft.body.merchant_reference ??= merchant_reference
      await payWith(draft.merchant, { amount: 1, merchant_reference })
    },
  },
  {
    name: 'an amount above the limit',
    status: 422,
    code: 'amount_above_limit',
    put: (draft) => {
      draft.body.amount ??= 50_001
    },
  },
  {
    name: 'too many attempts',
    status: 429,
    code: 'too_many_attempts',
    headers: { 'ratelimit-limit': limits.RATE_PER_KEY },
    put: async (draft) => {
      const counterparty = { msisdn: newPayer() }
      draft.body.counterparty ??= counterparty
      await payWith(await installation.newMerchant(), { amount: 1, counterparty })
    },
  },
]

function field(code: ErrorCode, wrong: Record<string, unknown>): Fault {
  return { name: JSON.stringify(wrong), status: 422, code, put: (draft) => void Object.assign(draft.body, wrong) }
}

for (const [rank, first] of faults.entries()) {
  test(`${first.code} (${first.name}) is said before all that comes after it`, async () => {
    await meet(first, null)
    for (const second of faults.slice(rank + 1)) await meet(first, second)
  })
}

/** Sends a request with both faults. Where both want one field, the earlier fault's value stays. */
async function meet(first: Fault, second: Fault | null): Promise<void> {
  const why = second === null ? first.name : `${first.name}, and ${second.name}`
  const answer = await withinOneMinute(installation.db.sql, async () => {
    const draft = newDraft(await installation.newMerchant())
    await first.put(draft)
    if (second !== null) await second.put(draft)
    return send(draft)
  })
  checkRefusal(answer, first.status, first.code, why)
  for (const [name, value] of Object.entries(first.headers ?? {})) assert.equal(answer.headers[name], value, why)
}

function newDraft(merchant: Merchant): Draft {
  return {
    merchant,
    address: newAddress(),
    allow: [],
    scope: 'collect',
    method: 'POST',
    path: '/v1-payments',
    key: null,
    idempotency_key: randomUUID(),
    headers: {},
    body: {},
    unreadable: false,
    finally: [],
  }
}

async function send(draft: Draft, mode: Mode = 'test'): Promise<Answer> {
  const { key } = await draft.merchant.newKey(mode, draft.scope, draft.allow)
  for (const finish of draft.finally) await finish(key)
  const text = JSON.stringify({ amount: 100, ...draft.body })
  return installation.ask({
    method: draft.method,
    path: draft.path,
    key,
    ...(draft.idempotency_key === undefined ? {} : { idempotency_key: draft.idempotency_key }),
    text: draft.unreadable ? text.slice(0, -1) : text,
    headers: { 'X-Forwarded-For': draft.address, ...draft.headers },
  })
}

/** A payment made before, with a key and from an address that the request does not use. */
async function payWith(merchant: Merchant, body: object, idempotency_key = randomUUID()): Promise<Answer> {
  const { key } = await merchant.newKey('test', 'collect')
  const headers = { 'X-Forwarded-For': newAddress() }
  const answer = await installation.pay(key, body, { idempotency_key, headers })
  checkPayment(answer, 201)
  return answer
}

async function callUntilRefused(address: string, key: string | null): Promise<void> {
  const path = key === null ? '/nowhere' : '/v1-payments/wrong'
  // More than twice as many as any limit here: a new minute may begin on the way.
  for (let calls = 0; calls <= 20; calls += 1) {
    const headers = { 'X-Forwarded-For': address }
    if ((await installation.ask({ path, key, headers })).status === 429) return
  }
  throw new Error('The rate was never reached.')
}

test('a replay is answered although the account, the limits and the payer no longer allow it', async () => {
  const merchant = await installation.newMerchant()
  const idempotency_key = randomUUID()
  const body = { amount: 100, merchant_reference: randomUUID(), counterparty: { msisdn: newPayer() } }
  const original = await payWith(merchant, body, idempotency_key)
  const { sql } = installation.db
  await sql`update merchants set active = false, collection_amount_max = 1 where merchant_id = ${merchant.merchant_id}`
  const { key } = await merchant.newKey('test', 'collect')
  const replay = await installation.pay(key, body, { idempotency_key, headers: { 'X-Forwarded-For': newAddress() } })
  checkPayment(replay, 201)
  assert.equal(replay.text, original.text)
})

test('reading: the id is looked at after the key, and before the payment', async () => {
  const { newKey } = await installation.newMerchant()
  const { key } = await newKey('test', 'payout')
  const read = (id: string, sent: string | null) => installation.ask({ path: `/v1-payments/${id}`, key: sent })
  checkRefusal(await read('wrong', null), 401, 'authentication_required')
  checkRefusal(await read('wrong', 'wrong'), 401, 'invalid_api_key')
  checkRefusal(await read('wrong', key), 422, 'invalid_id')
  checkRefusal(await read('txn_0', key), 404, 'resource_not_found')
})
