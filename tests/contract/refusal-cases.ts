import { randomUUID } from 'node:crypto'
import { newKey } from '../../src/api-keys/key-format.ts'
import type { ErrorCode } from '../../src/words/error-codes.ts'
import { newId } from '../../src/words/ids.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { type Installation, type Merchant, newAddress, newPayer, payment } from './installation.ts'

/** Limits that a case reaches with a handful of calls. Every case is a merchant, a key and an address of its own. */
export const limits = {
  RATE_PER_KEY: '10',
  RATE_PER_ADDRESS: '20',
  PAYER_ATTEMPTS_MAX: '5',
  COLLECTION_AMOUNT_MAX: '50000',
}

/** What a case has to hand. */
export type Stage = {
  installation: Installation
  merchant: Merchant
  /** Calls from an address that is this case's own. */
  ask(asked: Asked, process?: number): Promise<Answer>
}

export type RefusalCase = {
  /** The route as the tables name it, or `elsewhere`. */
  route: string
  why: string
  status: number
  code: ErrorCode
  answer(stage: Stage): Promise<Answer>
}

const POST = 'POST /v1-payments'
const GET = 'GET /v1-payments/:payment_id'

/** A good request for 100 francs, changed. */
function pay(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  const answer = ({ ask, merchant }: Stage) => ask(payment(merchant.key, { amount: 100 }, change))
  return { route: POST, why, status, code, answer }
}

/** A request for a payment with this body. */
function body(status: number, code: ErrorCode, ...bodies: unknown[]): RefusalCase[] {
  return bodies.map((sent) => pay(status, code, JSON.stringify(sent).slice(0, 80), { body: sent }))
}

/** The same wrong `Authorization` at both routes. */
function door(status: number, code: ErrorCode, why: string, sent: (stage: Stage) => Promise<Partial<Asked>>) {
  return [POST, GET].map((route): RefusalCase => {
    const asked = (stage: Stage, change: Partial<Asked>) =>
      route === POST
        ? payment(stage.merchant.key, { amount: 100 }, change)
        : { path: '/v1-payments/txn_1', key: stage.merchant.key, ...change }
    return { route, why, status, code, answer: async (stage) => stage.ask(asked(stage, await sent(stage))) }
  })
}

const idempotencyKeys: RefusalCase[] = [
  ['none', undefined],
  ['empty', ''],
  ['7 characters', 'seven77'],
  ['256 characters', 'x'.repeat(256)],
  ['a letter that is not ASCII', 'clé-de-commande'],
].map(([why, key]) =>
  pay(400, 'idempotency_key_required', why!, {
    headers: { 'Idempotency-Key': key && Buffer.from(key).toString('latin1') },
  }),
)

const bodies: RefusalCase[] = [
  pay(400, 'invalid_body', 'no body', { text: '' }),
  pay(400, 'invalid_body', 'no JSON', { text: '{"amount":' }),
  pay(400, 'invalid_body', 'a key twice', { text: '{"amount":100,"amount":100}' }),
  pay(400, 'invalid_body', 'a byte order mark', { text: '\ufeff{"amount":100}' }),
  pay(400, 'invalid_body', 'not UTF-8', { text: Buffer.from('{"amount":100,"description":"é"}', 'latin1') }),
  pay(400, 'invalid_body', 'UTF-16', { text: Buffer.from('{"amount":100}', 'utf16le') }),
  pay(400, 'invalid_body', 'NUL', { text: '{"amount":100,"description":"a\\u0000b"}' }),
  pay(400, 'invalid_body', 'half a character', { text: '{"amount":100,"description":"\\ud800"}' }),
  pay(400, 'invalid_body', 'eleven levels', {
    text: `{"amount":100,"metadata":{"a":${'['.repeat(9)}${']'.repeat(9)}}}`,
  }),
  pay(400, 'invalid_body', 'a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  pay(400, 'invalid_body', 'another charset', { headers: { 'Content-Type': 'application/json; charset=latin1' } }),
  pay(400, 'invalid_body', 'no content type', { headers: { 'Content-Type': undefined } }),
  pay(400, 'invalid_body', 'more than a megabyte', { body: { amount: 100, padding: 'x'.repeat(1_100_000) } }),
  ...body(400, 'invalid_body', [], [{ amount: 100 }], 100, 'x', null, true),
  ...body(400, 'invalid_body', { amount: 100, operator: 5 }, { amount: 100, operator: [] }),
  ...body(400, 'invalid_body', { amount: 100, counterparty: '0700000000' }, { amount: 100, counterparty: {} }),
  ...body(
    400,
    'invalid_body',
    { amount: 100, counterparty: { msisdn: 700000000 } },
    { amount: 100, counterparty: { msisdn: null } },
  ),
  ...body(400, 'invalid_body', { amount: 100, merchant_reference: 7 }, { amount: 100, merchant_reference: '' }),
  ...body(
    400,
    'invalid_body',
    { amount: 100, merchant_reference: 'x'.repeat(256) },
    { amount: 100, merchant_reference: [] },
  ),
  ...body(400, 'invalid_body', { amount: 100, description: {} }, { amount: 100, description: 'x'.repeat(1_001) }),
  ...body(
    400,
    'invalid_body',
    { amount: 100, metadata: 'x' },
    { amount: 100, metadata: [] },
    { amount: 100, metadata: 7 },
  ),
  ...body(400, 'invalid_body', { amount: 100, metadata: { long: 'x'.repeat(16_384) } }),
  ...body(400, 'invalid_body', { amount: 100, simulate: 'fail' }, { amount: 100, simulate: true }),
]

const fields: RefusalCase[] = [
  ...body(
    422,
    'invalid_amount',
    {},
    { amount: null },
    { amount: '100' },
    { amount: 0 },
    { amount: -1 },
    { amount: 1.5 },
  ),
  ...body(422, 'invalid_currency', { amount: 100, currency: 'EUR' }, { amount: 100, currency: 'XO' }),
  ...body(422, 'invalid_currency', { amount: 100, currency: [] }, { amount: 100, currency: 952 }),
  ...body(422, 'invalid_operator', { amount: 100, operator: 'nobody_ci' }, { amount: 100, operator: 'ORANGE_CI' }),
  ...body(422, 'invalid_operator', { amount: 100, operator: '' }),
  ...['0700000', '0800000000', '+33612345678', 'x', '', '070000000000'].flatMap((msisdn) =>
    body(422, 'invalid_msisdn', { amount: 100, counterparty: { msisdn } }),
  ),
  ...body(422, 'amount_above_limit', { amount: 50_001 }, { amount: 1_000_000_000_000 }),
]

const doors: RefusalCase[] = [
  ...door(401, 'authentication_required', 'no key', async () => ({ key: null })),
  ...door(401, 'authentication_required', 'another scheme', async () => ({ headers: { Authorization: 'Basic YTpi' } })),
  ...door(401, 'invalid_api_key', 'a key nobody has', async () => ({ key: newKey('bdm', false).key.reveal() })),
  ...door(401, 'invalid_api_key', 'no key at all', async () => ({ key: 'sk_test_1' })),
  ...door(400, 'invalid_request', 'another version', async () => ({ headers: { 'Service-Version': '2020-01-01' } })),
  {
    route: POST,
    why: 'a key that pays out',
    status: 403,
    code: 'insufficient_scope',
    answer: async ({ ask, merchant }) => ask(payment((await merchant.newKey('test', 'payout')).key, { amount: 100 })),
  },
  ...[POST, GET].map(
    (route): RefusalCase => ({
      route,
      why: 'one call too many with a key in a minute',
      status: 429,
      code: 'rate_limit_exceeded',
      answer: async ({ ask, merchant }) => {
        const { key } = merchant
        // Calls of both routes count together, refused ones too.
        const call = (path: string) => ask({ path, key, headers: { 'X-Forwarded-For': newAddress() } })
        return waitFor(
          async () => {
            const answer =
              route === POST
                ? await ask(payment(key, {}, { headers: { 'X-Forwarded-For': newAddress() } }))
                : await call('/v1-payments/wrong')
            return answer.status === 429 && answer
          },
          { deadline_ms: 10_000, what: 'the limit of a key' },
        )
      },
    }),
  ),
]

const reads: RefusalCase[] = [
  ...[newId('txn', 1), 'txn_1', `txn_${'z'.repeat(64)}`, 'txn_NULL'].map(
    (id): RefusalCase => read(404, 'resource_not_found', id),
  ),
  ...['1', 'txn', 'txn_', 'por_1', 'TXN_1', 'txn_a-b', `txn_${'z'.repeat(65)}`, 'txn_%00', 'txn_é', "txn_1'--"].map(
    (id): RefusalCase => read(422, 'invalid_id', encodeURIComponent(decodeURIComponent(id))),
  ),
]

function read(status: number, code: ErrorCode, id: string): RefusalCase {
  const answer = ({ ask, merchant: { key } }: Stage) => ask({ path: `/v1-payments/${id}`, key })
  return { route: GET, why: id.slice(0, 40), status, code, answer }
}

/** What takes more than one request. */
const stories: RefusalCase[] = [
  {
    route: POST,
    why: 'a merchant that may not operate',
    status: 403,
    code: 'merchant_inactive',
    async answer({ ask, installation, merchant }) {
      await installation.bandama('merchant', 'deactivate', '--merchant', String(merchant.merchant_id))
      return ask(payment(merchant.key, { amount: 100 }))
    },
  },
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    async answer({ ask, installation, merchant }) {
      const asked = payment(merchant.key, { amount: 100 })
      const { sql } = installation.db
      // Nobody writes to the table for a moment: the first request has claimed its key and waits.
      await using holder = await hold(sql, (tx) => tx`lock table payments in share mode`)
      const first = ask(asked)
      await untilWaiting(sql, { statement: '^copy "payments"' })
      // Asked of another process, which knows of the first only through the database.
      const second = await ask(asked, 1)
      await holder.letGo()
      checkPayment(await first, 201, { amount: 100 }, 'the first request')
      return second
    },
  },
  {
    route: POST,
    why: 'the key of another payment',
    status: 422,
    code: 'idempotency_key_reused',
    async answer({ ask, merchant }) {
      const idempotency_key = randomUUID()
      checkPayment(await ask(payment(merchant.key, { amount: 100 }, { idempotency_key })), 201)
      return ask(payment(merchant.key, { amount: 101 }, { idempotency_key }))
    },
  },
  {
    route: POST,
    why: 'the reference of another payment',
    status: 409,
    code: 'duplicate_reference',
    async answer({ ask, merchant }) {
      const sent = { amount: 100, merchant_reference: 'order 1' }
      checkPayment(await ask(payment(merchant.key, sent)), 201)
      return ask(payment(merchant.key, sent))
    },
  },
  {
    route: POST,
    why: 'a payer who was asked too often',
    status: 429,
    code: 'too_many_attempts',
    async answer({ ask, merchant }) {
      const counterparty = { msisdn: newPayer() }
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        checkPayment(await ask(payment(merchant.key, { amount: 100, counterparty })), 201)
      }
      return ask(payment(merchant.key, { amount: 100, counterparty }))
    },
  },
  ...[POST, GET].map(
    (route): RefusalCase => ({
      route,
      why: 'the database refuses to work',
      status: 500,
      code: route === POST ? 'payment_creation_failed' : 'payment_failed',
      async answer({ ask, installation, merchant }) {
        const { sql } = installation.db
        const asked = payment(merchant.key, { amount: 100 })
        await sql`alter table payments rename to payments_away`
        const refused = await ask(route === POST ? asked : { path: '/v1-payments/txn_1', key: merchant.key })
        await sql`alter table payments_away rename to payments`
        // Whoever sends the same again gets what was asked for, with the same idempotency key.
        checkPayment(await ask(asked), 201, { amount: 100 }, 'after the fault')
        return refused
      },
    }),
  ),
]

export const refusalCases: readonly RefusalCase[] = [
  ...idempotencyKeys,
  ...bodies,
  ...fields,
  ...doors,
  ...reads,
  ...stories,
]
