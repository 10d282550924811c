import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { archiveBeneficiary } from '../../src/beneficiaries/archive-beneficiary.ts'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, type RefusalCase } from './meet-refusals.ts'
import { inline, newSender, type Sender } from './sender.ts'

const CHECK = 'POST /x/recipients/check'

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

/** Every refusal of a check of a recipient. */
export const recipientRefusals: readonly RefusalCase[] = [
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
      await archiveBeneficiary(installation.db.sql, beneficiary_id, 'awa@example.com')
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
