import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Installation, newAddress, newPayer, payment } from '../harness/installation.ts'
import { checkBatch } from './payout-answers.ts'
import { type Draft, field, inactive, reused, type Step, step } from './precedence-steps.ts'
import { BATCHES, inline, newSender, payout } from './sender.ts'

/** The checks of a route after its fields, and a good request of a merchant of its own that meets them. */
export type OwnSteps = {
  good(installation: Installation): Promise<Pick<Draft, 'merchant'> & Partial<Pick<Draft, 'id' | 'asked'>>>
  steps: readonly Step[]
}

/** The most that one payment may be of. */
export const COLLECTION_AMOUNT_MAX = 50_000

const newMerchant = async ({ newMerchant }: Installation) => ({ merchant: await newMerchant() })

const held = (reason: string): Step['check'] => {
  return (answer, why) => {
    assert.equal(answer.status, 202, `${why}: ${answer.text}`)
    assert.equal((answer.json() as { reason: string }).reason, reason, why)
  }
}

const aboveLimit = field(422, 'amount_above_limit', { amount: COLLECTION_AMOUNT_MAX + 1 })

const payments: OwnSteps = {
  good: newMerchant,
  steps: [
    field(422, 'invalid_currency', { currency: 'EUR' }),
    field(422, 'invalid_operator', { operator: 'nobody_ci' }),
    field(422, 'invalid_msisdn', { counterparty: { msisdn: '123' } }),
    field(400, 'invalid_body', { merchant_reference: 5 }),
    reused(422),
    inactive,
    step('a reference that is taken', [409, 'duplicate_reference'], async ({ merchant, asked }, { pay }) => {
      const merchant_reference = randomUUID()
      assert.equal((await pay(merchant.key, { amount: 1, merchant_reference })).status, 201)
      asked.body!.merchant_reference = merchant_reference
    }),
    aboveLimit,
    step('too many attempts', [429, 'too_many_attempts'], async ({ asked }, { ask, newMerchant }) => {
      const counterparty = { msisdn: newPayer() }
      const headers = { 'X-Forwarded-For': newAddress() }
      const { key } = await newMerchant()
      assert.equal((await ask(payment(key, { amount: 1, counterparty }, { headers }), 1)).status, 201)
      asked.body!.counterparty = counterparty
    }),
  ],
}

const sessions: OwnSteps = { good: newMerchant, steps: [reused(422), inactive, aboveLimit] }

const links: OwnSteps = {
  good: newMerchant,
  steps: [reused(422), inactive, aboveLimit, field(422, 'invalid_expires_at', { expires_at: '2020-01-01T00:00:00Z' })],
}

/** Of a merchant with a million francs. */
const payouts: OwnSteps = {
  good: async (installation) => ({ merchant: (await newSender(installation)).merchant }),
  steps: [
    reused(422),
    step('an entry that is in no book', [404, 'resource_not_found'], ({ asked }) => {
      delete asked.body!.beneficiary
      asked.body!.beneficiary_id = randomUUID()
    }),
    inactive,
    { ...field(0, '', { amount: 100_001 }), name: 'the cap of one operation', check: held('plafond_operation') },
    {
      name: 'the cap of 24 hours',
      check: held('plafond_24h'),
      put: ({ merchant }, { db: { sql } }) => sql`
        insert into payout_caps (merchant_id, livemode, day) values (${merchant.merchant_id}, false, 1)`,
    },
    // The fee of a payout is more than the balance.
    step(
      'no funds',
      [409, 'insufficient_funds'],
      ({ merchant }, { db: { sql } }) => sql`
      insert into fee_schedules (merchant_id, service, effective_from, fixed)
      values (${merchant.merchant_id}, 'payout', clock_now(), 2000000)`,
    ),
  ],
}

const executions: OwnSteps = {
  async good(installation) {
    const sender = await newSender(installation)
    const { id } = checkBatch(await sender.prepare({ lines: [payout(100)] }), 201)
    return { merchant: sender.merchant, id, asked: { method: 'POST', path: `${BATCHES}/${id}/execute` } }
  },
  steps: [
    step('no such batch', [404, 'resource_not_found'], ({ asked }) =>
      Object.assign(asked, { path: `${BATCHES}/pob_1/execute` }),
    ),
    inactive,
    step('a batch that was cancelled', [409, 'batch_not_executable'], async ({ merchant, id }, installation) => {
      const sender = await newSender(installation, { of: merchant, funds: 0 })
      checkBatch(await sender.cancel(id), 200, { status: 'annule' })
    }),
  ],
}

const batchChecks: OwnSteps = {
  async good(installation) {
    const { id, merchant } = await executions.good(installation)
    return { merchant, id: id!, asked: { method: 'POST', path: `/x/payout-batches/${id}/check` } }
  },
  steps: [
    step('no such batch', [404, 'resource_not_found'], ({ asked }) =>
      Object.assign(asked, { path: '/x/payout-batches/pob_1/check' }),
    ),
    ...executions.steps.slice(1),
  ],
}

/** A wrong `beneficiary_id` stays: it is the earlier fault. */
const recipients: OwnSteps = {
  good: newMerchant,
  steps: [
    step('an entry that is in no book', [404, 'resource_not_found'], ({ asked: { body } }) => {
      if (body!.beneficiary_id !== undefined) return
      delete body!.beneficiary
      body!.beneficiary_id = randomUUID()
    }),
    inactive,
    step('a number that was checked too often', [429, 'too_many_attempts'], async ({ merchant, asked }, { ask }) => {
      const { key } = await merchant.newKey('test', 'payout')
      const body = { beneficiary: inline() }
      for (let time = 0; time < 10; time += 1)
        assert.equal((await ask({ method: 'POST', path: '/x/recipients/check', key, body })).status, 200)
      if (asked.body!.beneficiary_id === undefined) asked.body = body
    }),
  ],
}

/** Of a merchant without a franc, whose destination was designated two days ago. */
const settlements: OwnSteps = {
  async good({ newMerchant, db: { sql } }) {
    const merchant = await newMerchant()
    const [row] = await sql<{ id: string }[]>`
      insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4, designated_at)
      values (${merchant.merchant_id}, false, 'settlement', 'Boutique', 'wave_ci', '+2250700000000', '0000',
              clock_now() - interval '2 days')
      returning id`
    return { merchant, id: row!.id }
  },
  steps: [
    field(422, 'invalid_beneficiary', { beneficiary: 'x' }),
    reused(409),
    step('a destination that is nowhere', [404, 'destination_introuvable'], ({ asked }) => {
      asked.body!.beneficiary = randomUUID()
    }),
    inactive,
    step(
      'a destination that is not designated',
      [422, 'destination_non_designee'],
      (draft, { db: { sql } }) => sql`update beneficiaries set designated_at = null where id = ${draft.id}`,
    ),
    step(
      'a destination designated an hour ago',
      [422, 'destination_trop_recente'],
      (draft, { db: { sql } }) =>
        sql`update beneficiaries set designated_at = clock_now() - interval '1 hour' where id = ${draft.id}`,
    ),
    field(422, 'sous_le_plancher', { amount: 4_999 }),
    step('no funds', [422, 'montant_non_eligible'], () => {}),
  ],
}

/** By the name of the route; the others have nothing after their fields that two faults could be of. */
export const ownSteps: Readonly<Record<string, OwnSteps>> = {
  'POST /v1-payments': payments,
  'POST /v1-checkout': sessions,
  'POST /x/links': links,
  'POST /v1-payouts': payouts,
  'POST /v1-payout-batches/:batch_id/execute': executions,
  'POST /v1-settlements': settlements,
  'POST /x/recipients/check': recipients,
  'POST /x/payout-batches/:batch_id/check': batchChecks,
}
