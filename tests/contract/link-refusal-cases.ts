import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { PaymentLink } from '../../src/checkout/payment-link.ts'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { setActive } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, holdFirst, idCases, type RefusalCase, type Stage } from './meet-refusals.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

export const LINKS = '/x/links'

const POST = 'POST /x/links'
const LIST = 'GET /x/links'
const GET = 'GET /x/links/:link_id'
const CLOSE = 'POST /x/links/:link_id/close'

export const create = (key: string, body: unknown = { amount: 100 }, more: Partial<Asked> = {}): Asked => {
  return { method: 'POST', path: LINKS, key, body, ...more }
}
const get = ({ merchant: { key } }: Sender, id: string): Asked => ({ path: `${LINKS}/${id}`, key })
const close = ({ merchant: { key } }: Sender, id: string): Asked => {
  return { method: 'POST', path: `${LINKS}/${id}/close`, key }
}
const one = { [GET]: get, [CLOSE]: close } as const

const keyOf = ({ sender }: Stage) => sender.merchant.key

/** A new link of this key. */
async function newLink({ installation }: Pick<Stage, 'installation'>, key: string, body?: unknown): Promise<string> {
  const answer = await installation.ask(create(key, body))
  assert.equal(answer.status, 201, answer.text)
  return (answer.json() as PaymentLink).id
}

function bodies(status: number, code: ErrorCode, ...sent: unknown[]): RefusalCase[] {
  return sent.map((body) => ({
    route: POST,
    why: JSON.stringify(body).slice(0, 100),
    status,
    code,
    prepare: (stage) => ({ asked: create(keyOf(stage), body) }),
  }))
}

const amounts = ['100', 0, -1, 1.5, true, [100], 1_000_000_000_001]

const fields: RefusalCase[] = [
  ...['', 'seven77', 'x'.repeat(256)].map(
    (key): RefusalCase => ({
      route: POST,
      why: `a key of ${key.length}`,
      status: 400,
      code: 'idempotency_key_required',
      prepare: (stage) => ({ asked: create(keyOf(stage), { amount: 100 }, { headers: { 'Idempotency-Key': key } }) }),
    }),
  ),
  ...bodies(400, 'invalid_body', [], 'x', 1),
  ...['amount', 'min_amount', 'max_amount'].flatMap((field) =>
    amounts.flatMap((amount) => bodies(422, 'invalid_amount', { [field]: amount })),
  ),
  ...bodies(
    422,
    'invalid_amount',
    { amount: 100, min_amount: 50 },
    { amount: 100, max_amount: 500 },
    { min_amount: 501, max_amount: 500 },
    // Without a least amount it is 100 francs.
    { max_amount: 99 },
    // The limit is the most when none is given.
    { min_amount: 2_000_001 },
  ),
  ...['EUR', 'XO', '', [], 952].flatMap((currency) => bodies(422, 'invalid_currency', { amount: 100, currency })),
  ...['', 'x'.repeat(1_001), 7, 'two\nlines', '\u0000'].flatMap((description) =>
    bodies(400, 'invalid_body', { amount: 100, description }),
  ),
  ...['yes', 1, 'true'].flatMap((reusable) => bodies(400, 'invalid_body', { amount: 100, reusable })),
  ...[
    '',
    'tomorrow',
    '2030-01-01',
    '2030-02-30T00:00:00Z',
    '2030-01-01 00:00:00',
    1_893_456_000,
    '2020-01-01T00:00:00Z',
  ].flatMap((expires_at) => bodies(422, 'invalid_expires_at', { amount: 100, expires_at })),
  ...bodies(422, 'amount_above_limit', { amount: 2_000_001 }, { max_amount: 2_000_001 }),
]

const queries: RefusalCase[] = [
  ...['limit=', 'limit=0', 'limit=x', 'limit=1&limit=2', 'status=', 'status=Open', 'status=pending', 'day=2026-02-30'],
  ...['starting_after=', 'starting_after=txn_1', 'starting_after=%27', 'reference=x', 'offset=1'],
].map((query) => ({
  route: LIST,
  why: `?${query}`,
  status: 400,
  code: 'invalid_request',
  prepare: (stage) => ({ asked: { path: `${LINKS}?${query}`, key: keyOf(stage) } }),
}))

const ids: RefusalCase[] = ([GET, CLOSE] as const).flatMap((route) => [
  ...idCases(route, 'lnk', one[route]),
  {
    route,
    why: "another merchant's",
    status: 404,
    code: 'resource_not_found',
    async prepare(stage) {
      const other = await newSender(stage.installation, { funds: 0 })
      return { asked: one[route](stage.sender, await newLink(stage, other.merchant.key)) }
    },
  },
  {
    route,
    why: 'of the other mode',
    status: 404,
    code: 'resource_not_found',
    async prepare(stage) {
      const { key } = await stage.sender.merchant.newKey('live', 'collect')
      return { asked: one[route](stage.sender, await newLink(stage, key)) }
    },
  },
])

const states: RefusalCase[] = [
  {
    route: POST,
    why: 'a merchant that is switched off',
    status: 403,
    code: 'merchant_inactive',
    async prepare(stage) {
      await setActive(stage.installation.db.sql, stage.sender.merchant.merchant_id, false)
      const asked = create(keyOf(stage))
      await waitFor(async () => (await stage.installation.ask(asked)).status === 403, PATIENCE)
      return { asked }
    },
  },
  {
    route: POST,
    why: 'the key of a link, with another body',
    status: 422,
    code: 'idempotency_key_reused',
    async prepare(stage) {
      const idempotency_key = randomUUID()
      const first = await stage.installation.ask(create(keyOf(stage), { amount: 100 }, { idempotency_key }))
      assert.equal(first.status, 201)
      return { asked: create(keyOf(stage), { amount: 101 }, { idempotency_key }) }
    },
  },
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    prepare: (stage) =>
      holdFirst(
        stage,
        create(keyOf(stage), { amount: 100 }, { idempotency_key: randomUUID() }),
        'payment_links',
        (answer) => assert.equal(answer.status, 201),
      ),
  },
  {
    route: CLOSE,
    why: 'a link that was closed',
    status: 409,
    code: 'link_not_closable',
    async prepare(stage) {
      const asked = close(stage.sender, await newLink(stage, keyOf(stage)))
      assert.equal((await stage.installation.ask(asked)).status, 200)
      return { asked }
    },
  },
]

const worksAgain = async ({ installation }: Stage, asked: Asked) =>
  void assert.ok((await installation.ask(asked)).status < 500)

const faults: RefusalCase[] = [
  faultCase(
    POST,
    ['payment_links', 'description'],
    (stage) => create(keyOf(stage)),
    worksAgain,
    'checkout_creation_failed',
  ),
  faultCase(
    LIST,
    ['payment_links', 'closed_at'],
    (stage) => ({ path: LINKS, key: keyOf(stage) }),
    worksAgain,
    'payment_failed',
  ),
  faultCase(GET, ['payment_links', 'closed_at'], ({ sender }) => get(sender, 'lnk_1'), worksAgain, 'payment_failed'),
  faultCase(CLOSE, ['payment_links', 'taken_by'], ({ sender }) => close(sender, 'lnk_1'), worksAgain, 'payment_failed'),
]

/** Every refusal of the routes of links. */
export const linkRefusals: readonly RefusalCase[] = [
  ...doorCases({
    [POST]: { ask: ({ merchant: { key } }) => create(key), scoped: true },
    [LIST]: { ask: ({ merchant: { key } }) => ({ path: LINKS, key }), scoped: true },
    [GET]: { ask: (sender) => get(sender, 'lnk_1'), scoped: true },
    [CLOSE]: { ask: (sender) => close(sender, 'lnk_1'), scoped: true },
  }),
  ...fields,
  ...queries,
  ...ids,
  ...states,
  ...faults,
]
