import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import { actor } from '../harness/actor.ts'
import { archiveBeneficiary } from '../harness/destinations.ts'
import { newAddress } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { codeOf, isLimited } from './answers.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, type RefusalCase } from './meet-refusals.ts'
import { checkBatch } from './payout-answers.ts'
import { inline, newSender, PATIENCE, payout, type Sender } from './sender.ts'

const CHECK = 'POST /x/recipients/check'
const CHECK_BATCH = 'POST /x/payout-batches/:batch_id/check'
const READ_BATCH = 'GET /x/payout-batches/:batch_id/check'

/** A check of this destination. */
export const checkOf = ({ key }: Sender, body: unknown = { beneficiary: inline() }): Asked => {
  return { method: 'POST', path: '/x/recipients/check', key, body }
}

const refused = (status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase => {
  return { route: CHECK, why, status, code, prepare: ({ sender }) => ({ asked: { ...checkOf(sender), ...change } }) }
}
const bodies = (status: number, code: ErrorCode, ...sent: unknown[]) =>
  sent.map((body) => refused(status, code, JSON.stringify(body).slice(0, 120), { body }))

const person = { msisdn: '0700000000', operator: 'orange_ci', name: 'Awa' }

/** An entry of the sender's own book. */
async function newEntry(
  { ask }: { ask(asked: Asked): Promise<{ json(): unknown }> },
  { key }: Sender,
): Promise<string> {
  const added = await ask({ path: '/v1-beneficiaries', key, body: inline() })
  return (added.json() as { id: string }).id
}

const batchCheck = (key: string, id: string): Asked => ({ method: 'POST', path: `/x/payout-batches/${id}/check`, key })
const readBatchCheck = (key: string, id: string): Asked => ({ path: `/x/payout-batches/${id}/check`, key })
const checkOfBatch = { [CHECK_BATCH]: batchCheck, [READ_BATCH]: readBatchCheck } as const

const draft = async ({ prepare }: Sender) => checkBatch(await prepare({ lines: [payout(100)] }), 201).id

/** Every refusal of a check of a batch, and of reading one. */
const ofBatches: RefusalCase[] = [
  ...doorCases({
    [CHECK_BATCH]: { ask: ({ key }) => batchCheck(key, 'pob_1'), scoped: true },
    [READ_BATCH]: { ask: ({ key }) => readBatchCheck(key, 'pob_1'), scoped: false },
  }),
  ...([CHECK_BATCH, READ_BATCH] as const).flatMap((route) => [
    ...['pob_1', newId('pob', 1)].map((id): RefusalCase => {
      const prepare: RefusalCase['prepare'] = ({ sender: { key } }) => ({ asked: checkOfBatch[route](key, id) })
      return { route, why: id, status: 404, code: 'resource_not_found', prepare }
    }),
    ...['1', 'txn_1', 'POB_1', 'pob_a-b'].map((id): RefusalCase => {
      const prepare: RefusalCase['prepare'] = ({ sender: { key } }) => ({ asked: checkOfBatch[route](key, id) })
      return { route, why: id, status: 422, code: 'invalid_id', prepare }
    }),
    {
      route,
      why: "another merchant's",
      status: 404,
      code: 'resource_not_found',
      async prepare({ installation, sender: { key } }) {
        return { asked: checkOfBatch[route](key, await draft(await newSender(installation))) }
      },
    } satisfies RefusalCase,
    faultCase(
      route,
      ['payout_batch_lines', 'name_check'],
      async ({ sender }) => checkOfBatch[route](sender.key, await draft(sender)),
      async ({ installation }, asked) => void (await installation.ask(asked)),
    ),
  ]),
  {
    route: CHECK_BATCH,
    why: 'a merchant that may not operate',
    status: 403,
    code: 'merchant_inactive',
    async prepare({ installation, sender }) {
      const id = await draft(sender)
      const { merchant_id } = sender.merchant
      await installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`
      const { key } = await sender.merchant.newKey('test', 'payout')
      return { asked: batchCheck(key, id) }
    },
  },
  {
    route: CHECK_BATCH,
    why: 'a batch that was cancelled',
    status: 409,
    code: 'batch_not_executable',
    async prepare({ sender }) {
      const id = await draft(sender)
      checkBatch(await sender.cancel(id), 200)
      return { asked: batchCheck(sender.key, id) }
    },
  },
  {
    route: CHECK_BATCH,
    why: 'too many checks in a minute',
    status: 429,
    code: 'too_many_attempts',
    async prepare({ installation, sender }) {
      const asked = batchCheck(sender.key, await draft(sender))
      // A minute may end on the way.
      await waitFor(async () => {
        const answer = await installation.ask({ ...asked, headers: { 'X-Forwarded-For': newAddress() } }, 2)
        return codeOf(answer) === 'too_many_attempts' && isLimited(answer)
      }, PATIENCE)
      return { asked: { ...asked, headers: { 'X-Forwarded-For': newAddress() } }, process: 2 }
    },
  },
]

/** Every refusal of a check of a recipient. */
export const recipientRefusals: readonly RefusalCase[] = [
  ...ofBatches,
  ...doorCases({ [CHECK]: { ask: (sender) => checkOf(sender), scoped: true } }),
  refused(400, 'invalid_body', 'no JSON', { text: '{"beneficiary":' }),
  refused(400, 'invalid_body', 'NUL in a name', { text: '{"beneficiary":{"name":"a\\u0000b"}}' }),
  ...bodies(400, 'invalid_body', [], null, 'x', 7),
  ...bodies(422, 'invalid_beneficiary', {}, { beneficiary: person, beneficiary_id: randomUUID() }),
  ...[null, 'x', [], {}, { ...person, name: ' ' }, { ...person, name: 'x'.repeat(201) }].flatMap((beneficiary) =>
    bodies(422, 'invalid_beneficiary', { beneficiary }),
  ),
  ...['', '0800000000', '+33612345678', 7].flatMap((msisdn) =>
    bodies(422, 'invalid_beneficiary', { beneficiary: { ...person, msisdn } }),
  ),
  ...bodies(422, 'invalid_beneficiary', { beneficiary: { ...person, operator: 'nobody_ci' } }, { beneficiary_id: 7 }),
  ...bodies(404, 'resource_not_found', { beneficiary_id: 'x' }, { beneficiary_id: randomUUID() }),
  {
    route: CHECK,
    why: 'an archived entry',
    status: 404,
    code: 'resource_not_found',
    async prepare({ installation, sender }) {
      const beneficiary_id = await newEntry(installation, sender)
      await archiveBeneficiary(installation.db.sql, beneficiary_id, actor('awa@example.com'))
      return { asked: checkOf(sender, { beneficiary_id }) }
    },
  },
  {
    route: CHECK,
    why: "an entry of another merchant's book",
    status: 404,
    code: 'resource_not_found',
    async prepare({ installation, sender }) {
      const beneficiary_id = await newEntry(installation, await newSender(installation))
      return { asked: checkOf(sender, { beneficiary_id }) }
    },
  },
  {
    route: CHECK,
    why: 'a merchant that may not operate',
    status: 403,
    code: 'merchant_inactive',
    async prepare({ installation, sender }) {
      const { merchant_id } = sender.merchant
      await installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`
      const { key } = await sender.merchant.newKey('test', 'payout')
      return { asked: { ...checkOf(sender), key } }
    },
  },
  {
    route: CHECK,
    why: 'the eleventh check of a number in a day',
    status: 429,
    code: 'too_many_attempts',
    async prepare({ installation, sender }) {
      const asked = checkOf(sender)
      for (let time = 0; time < 10; time += 1) assert.equal((await installation.ask(asked)).status, 200)
      return { asked }
    },
  },
  faultCase(
    CHECK,
    ['recipient_checks', 'checks'],
    ({ sender }) => checkOf(sender),
    async ({ installation }, asked) => void (await installation.ask(asked)),
  ),
]
