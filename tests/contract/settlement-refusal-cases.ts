import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import { archiveBeneficiary } from '../harness/destinations.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, holdFirst, type RefusalCase, type Stage } from './meet-refusals.ts'
import { inline, post, type Sender, sendWhole } from './sender.ts'
import { checkSettlement, newSettler, SETTLEMENTS, type Settler } from './settler.ts'

const POST = 'POST /v1-settlements'
const LIST = 'GET /v1-settlements'
const GET = 'GET /v1-settlements/:settlement_id'

const nobody = '00000000-0000-4000-8000-000000000000'
/** A valid request with an unknown destination, so that earlier checks refuse first. */
const good = ({ key }: Sender): Asked => post(SETTLEMENTS, key, { amount: 5_000, beneficiary: nobody })

/** Returns a request of the case's merchant, with changes. */
function send(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return { route: POST, why, status, code, prepare: ({ sender }) => ({ asked: { ...good(sender), ...change } }) }
}

function bodies(status: number, code: ErrorCode, ...sent: unknown[]): RefusalCase[] {
  return sent.map((body) => send(status, code, JSON.stringify(body)?.slice(0, 120) ?? 'nothing', { body }))
}

const unreadable: RefusalCase[] = [
  // This route answers 422, others 400.
  ...[undefined, '', 'seven77', 'x'.repeat(256)].map((key) =>
    send(422, 'idempotency_key_required', String(key).slice(0, 10), { headers: { 'Idempotency-Key': key } }),
  ),
  send(400, 'invalid_body', 'no JSON', { text: '{"amount":' }),
  send(400, 'invalid_body', 'a key twice', { text: '{"amount":5000,"amount":5000}' }),
  send(400, 'invalid_body', 'a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  ...bodies(400, 'invalid_body', [], null, 'x', 1, true),
]

const to = (beneficiary: unknown) => ({ amount: 5_000, beneficiary })

const fields: RefusalCase[] = [
  ...[undefined, null, '5000', 0, -1, 1.5, true, [5_000], 1_000_000_000_001].flatMap((amount) =>
    bodies(422, 'invalid_amount', { ...to(nobody), amount }),
  ),
  ...['5000.0', '5e3', '-0', '9007199254740993'].map((amount) =>
    send(422, 'invalid_amount', amount, { text: `{"amount":${amount},"beneficiary":"${nobody}"}` }),
  ),
  ...[undefined, null, '', 'x', 7, {}, [nobody], newId('stl', 1), `${nobody}0`, `{${nobody}}`, 'g'.repeat(36)].flatMap(
    (beneficiary) => bodies(422, 'invalid_beneficiary', to(beneficiary)),
  ),
  // A payout's destination is no destination for settlements.
  ...bodies(422, 'invalid_beneficiary', { amount: 5_000, beneficiary_id: nobody }, to(inline())),
  // The first wrong field decides, in the order of the interface's table.
  ...bodies(422, 'invalid_amount', { amount: '5000', beneficiary: 'x' }),
]

/** Makes a case for a merchant with money and a destination. */
function settling(
  status: number,
  code: ErrorCode,
  why: string,
  asked: (settler: Settler, stage: Stage) => Promise<Asked> | Asked,
): RefusalCase {
  const prepare: RefusalCase['prepare'] = async (stage) => {
    const settler = await newSettler(stage.installation, { of: stage.sender.merchant })
    return { asked: await asked(settler, stage) }
  }
  return { route: POST, why, status, code, prepare }
}

const request = ({ key, destination }: Settler, change: object = {}): Asked =>
  post(SETTLEMENTS, key, { amount: 5_000, beneficiary: destination, ...change })

const destinations: RefusalCase[] = [
  ...[randomUUID(), nobody.toUpperCase()].map((id) =>
    settling(404, 'destination_introuvable', `${id} is in no book`, (settler) => request(settler, { beneficiary: id })),
  ),
  settling(404, 'destination_introuvable', "another merchant's", async (settler, { installation }) => {
    const other = await newSettler(installation, { available: 0 })
    return request(settler, { beneficiary: other.destination })
  }),
  settling(404, 'destination_introuvable', 'of the other mode', async (settler, { installation, sender }) => {
    const live = await newSettler(installation, { mode: 'live', of: sender.merchant })
    return request(settler, { beneficiary: live.destination })
  }),
  settling(404, 'destination_introuvable', 'archived', async (settler, { installation: { db } }) => {
    await archiveBeneficiary(db.sql, settler.destination)
    return request(settler)
  }),
  settling(
    422,
    'destination_non_designee',
    'an entry for payouts',
    async (settler, { sender, installation: { db } }) => {
      await sendWhole(sender)
      const [row] = await db.sql<{ id: string }[]>`
      select id from beneficiaries where merchant_id = ${settler.tenant.merchant_id} and kind = 'payout'`
      return request(settler, { beneficiary: row!.id })
    },
  ),
  settling(422, 'destination_non_designee', 'another destination', async (settler) =>
    request(settler, { beneficiary: await settler.newWallet('0700000000') }),
  ),
  settling(422, 'destination_non_designee', 'designated no longer', async (settler) => {
    await settler.designate(await settler.newWallet('0700000000'))
    return request(settler)
  }),
  settling(422, 'destination_trop_recente', 'designated just now', async (settler) => {
    const wallet = await settler.newWallet('0700000000')
    await settler.designate(wallet)
    return request(settler, { beneficiary: wallet })
  }),
]

const limits: RefusalCase[] = [
  ...[1, 4_999].map((amount) =>
    settling(422, 'sous_le_plancher', `${amount} francs`, (settler) => request(settler, { amount })),
  ),
  settling(422, 'sous_le_plancher', 'a floor of its own', async (settler, { installation }) => {
    await installation.bandama('settlement', 'set-minimum', ...settler.words, '--amount', '7000')
    return request(settler, { amount: 6_999 })
  }),
  ...[100_001, 1_000_000_000_000].map((amount) =>
    settling(422, 'montant_non_eligible', `${amount} of 100000 francs`, (settler) => request(settler, { amount })),
  ),
  settling(422, 'montant_non_eligible', 'what was asked for before', async (settler) => {
    checkSettlement(await settler.request(95_001), 202)
    return request(settler)
  }),
]

/** The refusals that need more than one request. */
const stories: RefusalCase[] = [
  settling(403, 'merchant_inactive', 'a merchant that may not operate', async (settler, { installation }) => {
    await installation.bandama('merchant', 'deactivate', '--merchant', String(settler.tenant.merchant_id))
    return request(settler)
  }),
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    async prepare(stage) {
      const settler = await newSettler(stage.installation, { of: stage.sender.merchant })
      return holdFirst(stage, request(settler), 'settlements', (answer) => checkSettlement(answer, 202))
    },
  },
  // This route answers 409, others 422.
  settling(409, 'idempotency_key_reused', 'the key of another settlement', async (settler) => {
    const idempotency_key = randomUUID()
    checkSettlement(await settler.request(6_000, { idempotency_key }), 202)
    return { ...request(settler), idempotency_key }
  }),
  settling(409, 'idempotency_key_reused', 'the key of a payout', async (settler, { sender }) => {
    const idempotency_key = randomUUID()
    await sendWhole(sender, { idempotency_key })
    return { ...request(settler), idempotency_key }
  }),
  faultCase(
    POST,
    ['settlements', 'last4'],
    async ({ installation, sender }) => request(await newSettler(installation, { of: sender.merchant })),
    // The same request, sent again with the same idempotency key, succeeds.
    async ({ installation }, asked) => {
      checkSettlement(await installation.ask(asked), 202, { amount: 5_000 })
    },
    'settlement_failed',
  ),
  ...[LIST, GET].map((route) =>
    faultCase(
      route,
      ['settlements', 'last4'],
      ({ sender: { key } }) => ({ path: route === LIST ? SETTLEMENTS : `${SETTLEMENTS}/stl_1`, key }),
      async ({ installation, sender: { key } }) => {
        await installation.ask({ path: SETTLEMENTS, key })
      },
      'settlement_failed',
    ),
  ),
]

/** The interface has no `invalid_id` here. */
const reads: RefusalCase[] = [newId('stl', 1), 'stl_1', 'txn_1', '1', 'stl_', 'stl_%00', "stl_1'--", nobody].map(
  (id) => {
    const written = encodeURIComponent(decodeURIComponent(id))
    const prepare: RefusalCase['prepare'] = ({ sender: { key } }) => ({
      asked: { path: `${SETTLEMENTS}/${written}`, key },
    })
    return { route: GET, why: id, status: 404, code: 'resource_not_found', prepare }
  },
)

/** Settlements that exist, and are not this merchant's of this mode. */
const others: RefusalCase[] = ([true, false] as const).map((ofAnother) => ({
  route: GET,
  why: ofAnother ? "another merchant's" : 'of the other mode',
  status: 404,
  code: 'resource_not_found',
  async prepare({ installation, sender }) {
    const settler = await newSettler(installation, ofAnother ? {} : { of: sender.merchant })
    const { id } = checkSettlement(await settler.request(5_000), 202)
    const key = ofAnother ? sender.key : (await sender.merchant.newKey('live', 'payout')).key
    return { asked: { path: `${SETTLEMENTS}/${id}`, key } }
  },
}))

export const settlementRefusals: readonly RefusalCase[] = [
  ...doorCases({
    [POST]: { ask: good, scoped: true },
    [LIST]: { ask: ({ key }) => ({ path: SETTLEMENTS, key }), scoped: false },
    [GET]: { ask: ({ key }) => ({ path: `${SETTLEMENTS}/stl_1`, key }), scoped: false },
  }),
  ...unreadable,
  ...fields,
  ...destinations,
  ...limits,
  ...stories,
  ...reads,
  ...others,
]
