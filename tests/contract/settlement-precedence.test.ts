import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Tenant } from '../../src/words/caller.ts'
import type { ErrorCode } from '../../src/words/error-codes.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import { type Installation, type Merchant, newAddress, openInstallation } from './installation.ts'
import { withinOneMinute } from './one-minute.ts'
import { SETTLEMENTS } from './settler.ts'

const limits = { RATE_PER_KEY: '5', RATE_PER_ADDRESS: '8' }

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: limits, processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

/** A good request of a merchant without a franc, that faults are put into, one by one. */
type Draft = {
  merchant: Merchant
  address: string
  allow: string[]
  scope: 'collect' | 'payout'
  method: string
  idempotency_key: string | undefined
  headers: Record<string, string>
  body: Record<string, unknown>
  unreadable: boolean
  /** Done last, with the key that the request will carry. */
  finally: ((key: string) => Promise<unknown>)[]
}

/** What can be wrong with a request for a settlement, in the order in which it is said (docs/interface.md). */
type Fault = { name: string; status: number; code: ErrorCode; put(draft: Draft): Promise<unknown> | unknown }

const field = (code: ErrorCode, wrong: Record<string, unknown>): Fault => {
  return { name: JSON.stringify(wrong), status: 422, code, put: (draft) => Object.assign(draft.body, wrong) }
}

const faults: Fault[] = [
  {
    name: 'the rate of the address',
    status: 429,
    code: 'rate_limit_exceeded',
    put: (draft) => draft.finally.push(() => callUntilRefused(draft.address, null)),
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
    put: (draft) => draft.finally.push((key) => callUntilRefused(draft.allow[0] ?? newAddress(), key)),
  },
  {
    name: 'the scope',
    status: 403,
    code: 'insufficient_scope',
    put: (draft) => {
      draft.scope = 'collect'
    },
  },
  {
    name: 'no Idempotency-Key',
    status: 422,
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
  field('invalid_amount', { amount: '5000' }),
  field('invalid_beneficiary', { beneficiary: 'x' }),
  {
    name: 'a key used for another request',
    status: 409,
    code: 'idempotency_key_reused',
    async put(draft) {
      const idempotency_key = randomUUID()
      if (draft.idempotency_key !== undefined) draft.idempotency_key = idempotency_key
      const headers = { 'X-Forwarded-For': newAddress() }
      checkPayment(await installation.pay(draft.merchant.key, { amount: 1 }, { idempotency_key, headers }), 201)
    },
  },
  {
    name: 'a destination that is nowhere',
    status: 404,
    code: 'destination_introuvable',
    put: (draft) => {
      draft.body.beneficiary ??= randomUUID()
    },
  },
  {
    name: 'an account that may not operate',
    status: 403,
    code: 'merchant_inactive',
    put: ({ merchant: { merchant_id }, ...draft }) =>
      draft.finally.unshift(
        async () => installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`,
      ),
  },
  {
    name: 'a destination that is not designated',
    status: 422,
    code: 'destination_non_designee',
    async put(draft) {
      draft.body.beneficiary ??= await newDestination(draft.merchant, null)
    },
  },
  {
    name: 'a destination designated an hour ago',
    status: 422,
    code: 'destination_trop_recente',
    async put(draft) {
      draft.body.beneficiary ??= await newDestination(draft.merchant, '1 hour')
    },
  },
  {
    name: 'an amount below the floor',
    status: 422,
    code: 'sous_le_plancher',
    put: (draft) => {
      draft.body.amount ??= 4_999
    },
  },
  { name: 'no funds', status: 422, code: 'montant_non_eligible', put: () => {} },
]

for (const [rank, first] of faults.entries()) {
  test(`${first.code} (${first.name}) is said before all that comes after it`, async () => {
    await meet(first, null)
    for (const second of faults.slice(rank + 1)) await meet(first, second)
  })
}

/** Sends a request with both faults, and without funds. Where both want one field, the earlier fault's value stays. */
async function meet(first: Fault, second: Fault | null): Promise<void> {
  const why = second === null ? first.name : `${first.name}, and ${second.name}`
  const answer = await withinOneMinute(installation.db.sql, async () => {
    const draft: Draft = {
      merchant: await installation.newMerchant(),
      address: newAddress(),
      allow: [],
      scope: 'payout',
      method: 'POST',
      idempotency_key: randomUUID(),
      headers: {},
      body: {},
      unreadable: false,
      finally: [],
    }
    await first.put(draft)
    await second?.put(draft)
    return send(draft)
  })
  checkRefusal(answer, first.status, first.code, why)
}

async function send(draft: Draft) {
  const { key } = await draft.merchant.newKey('test', draft.scope, draft.allow)
  for (const finish of draft.finally) await finish(key)
  const beneficiary = draft.body.beneficiary ?? (await newDestination(draft.merchant, '2 days'))
  const text = JSON.stringify({ amount: 5_000, ...draft.body, beneficiary })
  return installation.ask({
    method: draft.method,
    path: SETTLEMENTS,
    key,
    ...(draft.idempotency_key === undefined ? {} : { idempotency_key: draft.idempotency_key }),
    text: draft.unreadable ? text.slice(0, -1) : text,
    headers: { 'X-Forwarded-For': draft.address, ...draft.headers },
  })
}

/** @param ago since when it is designated; null: it is not */
async function newDestination({ merchant_id }: Pick<Tenant, 'merchant_id'>, ago: string | null): Promise<string> {
  const [row] = await installation.db.sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4, designated_at)
    values (${merchant_id}, false, 'settlement', 'Boutique', 'wave_ci', '+2250700000000', '0000',
            clock_now() - ${ago}::interval)
    returning id`
  return row!.id
}

async function callUntilRefused(address: string, key: string | null): Promise<void> {
  const path = key === null ? '/nowhere' : SETTLEMENTS
  // More than twice as many as any limit here: a new minute may begin on the way.
  for (let calls = 0; calls <= 20; calls += 1) {
    const headers = { 'X-Forwarded-For': address }
    if ((await installation.ask({ path, key, headers })).status === 429) return
  }
  throw new Error('The rate was never reached.')
}
