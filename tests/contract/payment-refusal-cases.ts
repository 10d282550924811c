import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import { newPayer, payment } from '../harness/installation.ts'
import { checkPayment } from './answers.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, holdFirst, type RefusalCase } from './meet-refusals.ts'
import type { Sender } from './sender.ts'

const POST = 'POST /v1-payments'
const GET = 'GET /v1-payments/:payment_id'

const good = ({ merchant: { key } }: Sender, more: Partial<Asked> = {}, body: unknown = { amount: 100 }): Asked =>
  payment(key, body, more)
const one = ({ merchant: { key } }: Sender, id = 'txn_1'): Asked => ({ path: `/v1-payments/${id}`, key })

/** A good request for 100 francs, changed. */
function pay(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return { route: POST, why, status, code, prepare: ({ sender }) => ({ asked: good(sender, change) }) }
}

/** A request for a payment with this body. */
function body(status: number, code: ErrorCode, ...bodies: unknown[]): RefusalCase[] {
  return bodies.map((sent) => pay(status, code, JSON.stringify(sent).slice(0, 80), { body: sent }))
}

/** The same wrong `Authorization` at both routes. */
function door(code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase[] {
  return (
    [
      [POST, good],
      [GET, one],
    ] as const
  ).map(([route, ask]) => {
    return { route, why, status: 401, code, prepare: ({ sender }) => ({ asked: { ...ask(sender), ...change } }) }
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
  ...body(422, 'amount_above_limit', { amount: 2_000_001 }, { amount: 1_000_000_000_000 }),
]

const doors: RefusalCase[] = [
  ...doorCases({ [POST]: { ask: good, scoped: true }, [GET]: { ask: one, scoped: false } }),
  ...door('authentication_required', 'another scheme', { headers: { Authorization: 'Basic YTpi' } }),
  ...door('invalid_api_key', 'no key at all', { key: 'sk_test_1' }),
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
  return { route: GET, why: id.slice(0, 40), status, code, prepare: ({ sender }) => ({ asked: one(sender, id) }) }
}

/** The refusals that need more than one request. */
const stories: RefusalCase[] = [
  {
    route: POST,
    why: 'a merchant that may not operate',
    status: 403,
    code: 'merchant_inactive',
    async prepare({ installation, sender }) {
      await installation.bandama('merchant', 'deactivate', '--merchant', String(sender.tenant.merchant_id))
      return { asked: good(sender) }
    },
  },
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    prepare: (stage) =>
      holdFirst(stage, good(stage.sender), 'payments', (answer) => checkPayment(answer, 201, { amount: 100 })),
  },
  {
    route: POST,
    why: 'the key of another payment',
    status: 422,
    code: 'idempotency_key_reused',
    async prepare({ installation: { ask }, sender }) {
      const again = { idempotency_key: randomUUID() }
      checkPayment(await ask(good(sender, again)), 201)
      return { asked: good(sender, again, { amount: 101 }) }
    },
  },
  {
    route: POST,
    why: 'the reference of another payment',
    status: 409,
    code: 'duplicate_reference',
    async prepare({ installation: { ask }, sender }) {
      const sent = { amount: 100, merchant_reference: 'order 1' }
      checkPayment(await ask(good(sender, {}, sent)), 201)
      return { asked: good(sender, {}, sent) }
    },
  },
  {
    route: POST,
    why: 'a payer who was asked too often',
    status: 429,
    code: 'too_many_attempts',
    async prepare({ installation: { ask, newMerchant }, sender }) {
      // By another merchant, of the process that lets a number be asked once.
      const sent = { amount: 100, counterparty: { msisdn: newPayer() } }
      checkPayment(await ask(payment((await newMerchant()).key, sent), 2), 201)
      return { asked: good(sender, {}, sent), process: 2 }
    },
  },
  faultCase(
    POST,
    ['payments', 'description'],
    ({ sender }) => good(sender),
    // The same request, sent again with the same idempotency key, succeeds.
    async ({ installation }, asked) => void checkPayment(await installation.ask(asked), 201, { amount: 100 }),
    'payment_creation_failed',
  ),
  faultCase(
    GET,
    ['payments', 'net_amount'],
    async ({ installation, sender }) => one(sender, checkPayment(await installation.ask(good(sender)), 201).id),
    async ({ installation }, asked) => void checkPayment(await installation.ask(asked), 200),
    'payment_failed',
  ),
]

export const paymentRefusals: readonly RefusalCase[] = [
  ...idempotencyKeys,
  ...bodies,
  ...fields,
  ...doors,
  ...reads,
  ...stories,
]
