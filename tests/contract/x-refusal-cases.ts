import { createClock } from '../../src/platform/clock.ts'
import type { Tenant } from '../../src/values/caller.ts'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { newPayer } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'
import { checkPayment } from './answers.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, idCases, type RefusalCase, type Stage } from './meet-refusals.ts'
import { checkPayout } from './payout-answers.ts'
import { newSender, PATIENCE, payout, type Sender } from './sender.ts'

export const EVENTS = '/x/events'

const CANCEL = 'POST /x/payments/:payment_id/cancel'
const CODE = 'POST /x/payments/:payment_id/code'
const CANCEL_PAYOUT = 'POST /x/payouts/:payout_id/cancel'
const BALANCES = 'GET /x/balances'
const OPERATORS = 'GET /x/operators'
const PREDICT = 'POST /x/operators/predict'
const LIST = 'GET /x/events'
const GET = 'GET /x/events/:event_id'
const REPLAY = 'POST /x/events/:event_id/replay'

/** Writes an event as if it had happened. */
export async function newEvent(
  { installation: { db } }: Pick<Stage, 'installation'>,
  { merchant_id, livemode }: Tenant,
  {
    type = 'payout.succeeded',
    subject_id = newId('txn', 1),
  }: { type?: 'payout.succeeded' | 'payment.succeeded'; subject_id?: string } = {},
): Promise<string> {
  const data = { id: subject_id, object: type.split('.')[0], status: 'succeeded' }
  const event = { merchant_id, livemode, type, subject_id, data }
  const [id] = await db.sql.begin((tx) => emitEvents(tx, [event], createClock().now()))
  return id!
}

const get = ({ key }: Sender, id: string): Asked => ({ path: `${EVENTS}/${id}`, key })
const replay = ({ key }: Sender, id: string): Asked => ({ method: 'POST', path: `${EVENTS}/${id}/replay`, key })
const one = { [GET]: get, [REPLAY]: replay } as const

const cancel = (key: string, id: string): Asked => ({ method: 'POST', path: `/x/payments/${id}/cancel`, key })

const giveCode = (key: string, id: string, body: unknown = { code: '123456' }): Asked => ({
  method: 'POST',
  path: `/x/payments/${id}/code`,
  key,
  body,
})

const cancelPayout = ({ key }: Sender, id: string): Asked => ({ method: 'POST', path: `/x/payouts/${id}/cancel`, key })
const cancelOf = {
  [CANCEL]: ({ merchant }: Sender, id: string) => cancel(merchant.key, id),
  [CANCEL_PAYOUT]: cancelPayout,
} as const

/** A payment of this merchant that was sent to its operator. */
async function sent({ installation, sender }: Stage): Promise<string> {
  const { key } = sender.merchant
  const { id } = checkPayment(await installation.pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }), 201)
  await waitFor(async () => checkPayment(await installation.read(key, id), 200).status === 'succeeded', PATIENCE)
  return id
}

/** The reasons for which a payer's code is not taken. */
const codes: RefusalCase[] = [
  {
    route: CODE,
    why: 'no such payment',
    status: 404,
    code: 'resource_not_found',
    prepare: ({ sender }) => ({ asked: giveCode(sender.merchant.key, 'txn_1') }),
  },
  {
    route: CODE,
    why: 'no id of a payment',
    status: 422,
    code: 'invalid_id',
    prepare: ({ sender }) => ({ asked: giveCode(sender.merchant.key, 'pob_1') }),
  },
  ...[{}, { code: 123_456 }, { code: '123' }, { code: '12345678901' }, { code: '123 456' }, { code: '12345é' }].map(
    (body): RefusalCase => ({
      route: CODE,
      why: JSON.stringify(body),
      status: 400,
      code: 'invalid_body',
      prepare: ({ sender }) => ({ asked: giveCode(sender.merchant.key, 'txn_1', body) }),
    }),
  ),
  {
    route: CODE,
    why: 'a payer who was asked for none',
    status: 409,
    code: 'payment_code_not_expected',
    prepare: async (stage) => ({ asked: giveCode(stage.sender.merchant.key, await sent(stage)) }),
  },
]

/** The reasons for which a payment or a payout is not cancelled. */
const cancellations: RefusalCase[] = [
  ...([CANCEL, CANCEL_PAYOUT] as const).flatMap((route) => [...idCases(route, 'txn', cancelOf[route])]),
  {
    route: CANCEL,
    why: "another merchant's",
    status: 404,
    code: 'resource_not_found',
    async prepare({ installation, sender }) {
      const { key } = await installation.newMerchant()
      const { id } = checkPayment(await installation.pay(key, { amount: 100 }), 201)
      return { asked: cancel(sender.merchant.key, id) }
    },
  },
  {
    route: CANCEL_PAYOUT,
    why: "another merchant's",
    status: 404,
    code: 'resource_not_found',
    async prepare({ installation, sender }) {
      const other = await newSender(installation)
      return { asked: cancelPayout(sender, checkPayout(await other.send(payout(100)), 201).id) }
    },
  },
  {
    route: CANCEL_PAYOUT,
    why: 'sent before',
    status: 409,
    code: 'payout_not_cancellable',
    async prepare({ sender }) {
      const { id } = checkPayout(await sender.send(payout(100)), 201)
      await sender.untilPayout(id, 'succeeded')
      return { asked: cancelPayout(sender, id) }
    },
  },
  {
    route: CANCEL,
    why: 'sent before',
    status: 409,
    code: 'payment_not_cancellable',
    prepare: async (stage) => ({ asked: cancel(stage.sender.merchant.key, await sent(stage)) }),
  },
]

const predict = ({ key }: Sender, body: unknown = { msisdn: '0700000000' }): Asked => {
  return { path: '/x/operators/predict', key, body }
}

function predicting(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return { route: PREDICT, why, status, code, prepare: ({ sender }) => ({ asked: { ...predict(sender), ...change } }) }
}

const predictions: RefusalCase[] = [
  predicting(400, 'invalid_body', 'no JSON', { text: '{"msisdn":' }),
  ...[[], {}, { msisdn: 700000000 }, { msisdn: null }].map((body) =>
    predicting(400, 'invalid_body', JSON.stringify(body), { body }),
  ),
  ...['', '07000000', '0800000000', '+33612345678', "07'--"].map((msisdn) =>
    predicting(422, 'invalid_msisdn', msisdn, { body: { msisdn } }),
  ),
]

const queries: RefusalCase[] = [
  ...['limit=', 'limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=1&limit=2', 'limit=%2B1', 'limit=%00'],
  ...['type=', 'type=payment', 'type=payment.stolen', 'type=payment.*', 'type=payment.failed&type=payout.failed'],
  ...['subject_id=', 'subject_id=%00', "subject_id=txn_1'--", `subject_id=${'x'.repeat(81)}`],
  ...['starting_after=', 'starting_after=1', 'starting_after=txn_1', 'starting_after=evt_', 'starting_after=evt_%27'],
].map((query) => ({
  route: LIST,
  why: `?${query.slice(0, 50)}`,
  status: 400,
  code: 'invalid_request',
  prepare: ({ sender: { key } }) => ({ asked: { path: `${EVENTS}?${query}`, key } }),
}))

const ids: RefusalCase[] = ([GET, REPLAY] as const).flatMap((route) => [
  ...idCases(route, 'evt', (sender, id) => one[route](sender, encodeURIComponent(decodeURIComponent(id))), [
    "evt_1'--",
  ]),
  ...(
    [
      ["another merchant's", async (stage) => newEvent(stage, (await newSender(stage.installation)).tenant)],
      ['of the other mode', (stage) => newEvent(stage, { ...stage.sender.tenant, livemode: true })],
      [
        'of money in, asked with a key for money out',
        (stage) => newEvent(stage, stage.sender.tenant, { type: 'payment.succeeded' }),
      ],
    ] satisfies [string, (stage: Stage) => Promise<string>][]
  ).map(
    ([why, event]): RefusalCase => ({
      route,
      why,
      status: 404,
      code: 'resource_not_found',
      prepare: async (stage) => ({ asked: one[route](stage.sender, await event(stage)) }),
    }),
  ),
])

const stories: RefusalCase[] = [
  {
    route: REPLAY,
    why: 'there was no endpoint when it happened',
    status: 409,
    code: 'event_not_deliverable',
    prepare: async (stage) => ({ asked: replay(stage.sender, await newEvent(stage, stage.sender.tenant)) }),
  },
  {
    route: BALANCES,
    why: 'a merchant without accounts, which cannot be',
    status: 500,
    code: 'payment_failed',
    async prepare({ installation }) {
      const { merchant_id, key } = await installation.newMerchant()
      await installation.db.sql.begin(async (tx) => {
        await withoutTriggers(tx)
        await tx`delete from accounts where merchant_id = ${merchant_id}`
      })
      return { asked: { path: '/x/balances', key } }
    },
  },
  fault(CANCEL, ['payments', 'failure_code'], ({ sender }) => cancel(sender.merchant.key, 'txn_1')),
  fault(CODE, ['payments', 'failure_code'], ({ sender }) => giveCode(sender.merchant.key, 'txn_1')),
  faultCase(CANCEL_PAYOUT, ['payouts', 'failure_code'], ({ sender }) => cancelPayout(sender, 'txn_1'), askAgain),
  fault(OPERATORS, ['payout_caps', 'day'], ({ sender: { key } }) => ({ path: '/x/operators', key })),
  fault(PREDICT, ['number_operators', 'refused_by'], ({ sender }) => predict(sender)),
  fault(LIST, ['events', 'body'], ({ sender: { key } }) => ({ path: EVENTS, key })),
  fault(GET, ['events', 'body'], ({ sender }) => get(sender, 'evt_1')),
  fault(REPLAY, ['events', 'type'], ({ sender }) => replay(sender, 'evt_1')),
]

function fault(route: string, column: [table: string, column: string], ask: (stage: Stage) => Asked): RefusalCase {
  return faultCase(route, column, ask, askAgain, 'payment_failed')
}

async function askAgain({ installation }: Stage, asked: Asked): Promise<void> {
  await installation.ask(asked)
}

/** Every refusal of the routes we added. The balances want a key that collects; the rest is asked with one that pays out, or collects. */
export const extensionRefusals: readonly RefusalCase[] = [
  ...doorCases({
    [OPERATORS]: { ask: ({ key }) => ({ path: '/x/operators', key }), scoped: false },
    [PREDICT]: { ask: (sender) => predict(sender), scoped: false },
    [LIST]: { ask: ({ key }) => ({ path: EVENTS, key }), scoped: false },
    [GET]: { ask: (sender) => get(sender, 'evt_1'), scoped: false },
    [REPLAY]: { ask: (sender) => replay(sender, 'evt_1'), scoped: false },
    // All of these are said before the scope, so that a key that pays out may ask.
    [BALANCES]: { ask: ({ key }) => ({ path: '/x/balances', key }), scoped: false },
    [CANCEL]: { ask: ({ merchant }) => cancel(merchant.key, 'txn_1'), scoped: true },
    [CODE]: { ask: ({ merchant }) => giveCode(merchant.key, 'txn_1'), scoped: true },
    [CANCEL_PAYOUT]: { ask: (sender) => cancelPayout(sender, 'txn_1'), scoped: true },
  }),
  {
    route: BALANCES,
    why: 'a key that pays out',
    status: 403,
    code: 'insufficient_scope',
    prepare: ({ sender: { key } }) => ({ asked: { path: '/x/balances', key } }),
  },
  ...cancellations,
  ...codes,
  ...predictions,
  ...queries,
  ...ids,
  ...stories,
]
