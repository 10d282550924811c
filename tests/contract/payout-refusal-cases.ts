import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import { archiveBeneficiary } from '../harness/destinations.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, holdFirst, type RefusalCase, type Stage } from './meet-refusals.ts'
import { checkPayout } from './payout-answers.ts'
import { inline, newSender, PAYOUTS, payout, post, type Sender, sendWhole } from './sender.ts'

const POST = 'POST /v1-payouts'
const GET = 'GET /v1-payouts/:id'

const good = ({ key }: Sender, body: unknown = payout(100)): Asked => post(PAYOUTS, key, body)

/** A good request for 100 francs, changed. */
function send(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return { route: POST, why, status, code, prepare: ({ sender }) => ({ asked: { ...good(sender), ...change } }) }
}

/** Requests with these bodies. */
function bodies(status: number, code: ErrorCode, ...sent: unknown[]): RefusalCase[] {
  return sent.map((body) => send(status, code, JSON.stringify(body)?.slice(0, 120) ?? 'nothing', { body }))
}

const to = (beneficiary: unknown) => ({ amount: 100, beneficiary })
const naming = (beneficiary_id: unknown) => ({ amount: 100, beneficiary_id })
const person = { msisdn: '0700000000', operator: 'orange_ci', name: 'Awa' }

const unreadable: RefusalCase[] = [
  ...[undefined, '', 'seven77', 'x'.repeat(256)].map((key) =>
    send(400, 'idempotency_key_required', String(key).slice(0, 10), { headers: { 'Idempotency-Key': key } }),
  ),
  send(400, 'invalid_body', 'no JSON', { text: '{"amount":' }),
  send(400, 'invalid_body', 'a key twice', { text: '{"amount":100,"amount":100}' }),
  send(400, 'invalid_body', 'NUL in a name', { text: '{"amount":100,"beneficiary":{"name":"a\\u0000b"}}' }),
  send(400, 'invalid_body', 'a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  ...bodies(400, 'invalid_body', [], null, 'x', 1, true),
  ...bodies(400, 'invalid_body', { ...payout(100), reference: 5 }, { ...payout(100), reference: 'x'.repeat(256) }),
]

const fields: RefusalCase[] = [
  ...[undefined, null, '100', 0, -1, 1.5, true, [100], 1_000_000_000_001].flatMap((amount) =>
    bodies(422, 'invalid_amount', { ...payout(100), amount }),
  ),
  ...['100.0', '1e2', '-0', '1.0e2', '9007199254740993'].map((amount) =>
    send(422, 'invalid_amount', amount, { text: `{"amount":${amount},"beneficiary_id":"${randomUUID()}"}` }),
  ),
  ...['EUR', 'XO', '', [], 952].flatMap((currency) => bodies(422, 'invalid_currency', { ...payout(100), currency })),
  // Both destinations, or neither.
  ...bodies(422, 'invalid_beneficiary', { amount: 100 }, { ...to(person), beneficiary_id: randomUUID() }),
  ...[null, 'x', 7, []].flatMap((beneficiary) => bodies(422, 'invalid_beneficiary', to(beneficiary))),
  ...bodies(422, 'invalid_beneficiary', naming(null), naming(7), naming({})),
  ...[undefined, null, '', ' ', 'x'.repeat(201), 7].flatMap((name) =>
    bodies(422, 'invalid_beneficiary', to({ ...person, name })),
  ),
  ...[undefined, null, '', '0800000000', '070000000', '+33612345678', 700000000].flatMap((msisdn) =>
    bodies(422, 'invalid_beneficiary', to({ ...person, msisdn })),
  ),
  ...['', 'nobody_ci', 'ORANGE_CI', 7].flatMap((operator) =>
    bodies(422, 'invalid_beneficiary', to({ ...person, operator })),
  ),
  // The first wrong field decides, in the order of the interface's table.
  ...bodies(422, 'invalid_amount', { amount: 0, currency: 'EUR', beneficiary: 7, reference: 7 }),
  ...bodies(422, 'invalid_currency', { amount: 1, currency: 'EUR', beneficiary: 7, reference: 7 }),
  ...bodies(422, 'invalid_beneficiary', { ...to({ ...person, msisdn: '1' }), reference: 7 }),
]

/** An entry of a sender's book, made by a payout. */
async function entryOf({ installation: { db } }: Stage, sender: Sender): Promise<string> {
  await sendWhole(sender)
  const [row] = await db.sql<{ id: string }[]>`
    select id from beneficiaries where merchant_id = ${sender.tenant.merchant_id} and livemode = ${sender.tenant.livemode}`
  return row!.id
}

/** A payout to an entry that this merchant cannot pay. */
function toEntry(why: string, entry: (stage: Stage) => Promise<string>): RefusalCase {
  return {
    route: POST,
    why,
    status: 404,
    code: 'resource_not_found',
    prepare: async (stage) => ({ asked: good(stage.sender, naming(await entry(stage))) }),
  }
}

const entries: RefusalCase[] = [
  ...[randomUUID(), 'x', '', newId('txn', 1)].map((id) => toEntry(`${id} is in no book`, async () => id)),
  toEntry("another merchant's", async (stage) => entryOf(stage, await newSender(stage.installation))),
  toEntry('of the other mode', async (stage) => {
    const { sender, installation } = stage
    return entryOf(stage, await newSender(installation, { of: sender.merchant, mode: 'live' }))
  }),
  toEntry('archived', async (stage) => {
    const id = await entryOf(stage, stage.sender)
    await archiveBeneficiary(stage.installation.db.sql, id)
    return id
  }),
  toEntry('a settlement destination', async ({ installation: { db }, sender: { tenant } }) => {
    const [row] = await db.sql<{ id: string }[]>`
      insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4)
      values (${tenant.merchant_id}, false, 'settlement', 'Boutique', 'wave_ci', '+2250700000000', '0000')
      returning id`
    return row!.id
  }),
]

const reads: RefusalCase[] = [
  ...[newId('txn', 1), newId('por', 1), 'txn_1', `por_${'z'.repeat(64)}`].map((id) =>
    read(404, 'resource_not_found', id),
  ),
  ...['1', 'txn', 'txn_', 'por_', 'pob_1', 'POR_1', 'por_a-b', `txn_${'z'.repeat(65)}`, 'por_%00', "txn_1'--"].map(
    (id) => read(422, 'invalid_id', encodeURIComponent(decodeURIComponent(id))),
  ),
]

function read(status: number, code: ErrorCode, id: string): RefusalCase {
  const prepare: RefusalCase['prepare'] = ({ sender: { key } }) => ({ asked: { path: `${PAYOUTS}/${id}`, key } })
  return { route: GET, why: id.slice(0, 40), status, code, prepare }
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
    why: 'a franc short, for the fee alone',
    status: 409,
    code: 'insufficient_funds',
    async prepare({ installation: { db }, sender }) {
      await db.sql`insert into fee_schedules (merchant_id, service, effective_from, fixed)
                   values (${sender.tenant.merchant_id}, 'payout', clock_now(), 999901)`
      return { asked: good(sender) }
    },
  },
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    prepare: (stage) => holdFirst(stage, good(stage.sender), 'payouts', (answer) => checkPayout(answer, 201)),
  },
  {
    route: POST,
    why: 'the key of another payout',
    status: 422,
    code: 'idempotency_key_reused',
    async prepare({ sender }) {
      const idempotency_key = randomUUID()
      await sendWhole(sender, { idempotency_key })
      return { asked: { ...good(sender), idempotency_key } }
    },
  },
  {
    route: POST,
    why: 'the key of a batch',
    status: 422,
    code: 'idempotency_key_reused',
    async prepare({ sender }) {
      const idempotency_key = randomUUID()
      const { status } = await sender.prepare({ lines: [{ amount: 100, beneficiary: inline() }] }, { idempotency_key })
      assert.equal(status, 201)
      return { asked: { ...good(sender), idempotency_key } }
    },
  },
  faultCase(
    POST,
    ['payouts', 'label'],
    ({ sender }) => good(sender),
    // The same request, sent again with the same idempotency key, succeeds.
    async ({ installation }, asked) => {
      checkPayout(await installation.ask(asked), 201, { amount: 100 })
    },
  ),
  faultCase(
    GET,
    ['payouts', 'label'],
    async ({ sender: { key, send } }) => {
      const { id } = checkPayout(await send(payout(100)), 201)
      return { path: `${PAYOUTS}/${id}`, key }
    },
    async ({ installation }, asked) => {
      checkPayout(await installation.ask(asked), 200)
    },
  ),
]

export const payoutRefusals: readonly RefusalCase[] = [
  ...doorCases({
    [POST]: { ask: good, scoped: true },
    [GET]: { ask: ({ key }) => ({ path: `${PAYOUTS}/txn_1`, key }), scoped: false },
  }),
  ...unreadable,
  ...fields,
  ...entries,
  ...reads,
  ...stories,
]
