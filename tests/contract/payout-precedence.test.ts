import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { checkRefusal } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { type Installation, openInstallation } from './installation.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { BATCHES, newSender, PAYOUTS, payout, post, type Sender } from './sender.ts'

// What comes after the fields, where two things stand in a payout's way (docs/interface.md). What comes before is the same
// on every route, and has a test over all of them.

let installation: Installation
before(async () => {
  const processes = [
    ['--only', 'api'],
    ['--only', 'api'],
  ]
  installation = await openInstallation({ processes, env: { BATCH_WAIT_SECONDS: '0' } })
})
after(() => installation[Symbol.asyncDispose]())

/** A request for a payout, or one that executes a batch, of a merchant of its own with a million francs. */
type Draft = {
  sender: Sender
  idempotency_key: string
  body: Record<string, unknown>
  /** Of a batch with one line. */
  batch_id: string | null
  /** Done last. */
  finally: (() => Promise<unknown>)[]
}

type Fault = {
  name: string
  check(answer: Answer, why: string): void
  put(draft: Draft): Promise<unknown> | unknown
  /** Needs a merchant with which nothing is wrong yet. */
  isFirst?: true
}

const refusal = (status: number, code: string) => (answer: Answer, why: string) =>
  void checkRefusal(answer, status, code, why)

const held = (reason: string) => (answer: Answer, why: string) => {
  assert.equal(answer.status, 202, `${why}: ${answer.text}`)
  assert.equal((answer.json() as { reason: string }).reason, reason, why)
}

const inactive: Fault = {
  name: 'an account that may not operate',
  check: refusal(403, 'merchant_inactive'),
  put: ({ sender, finally: last }) => {
    const { merchant_id } = sender.tenant
    last.push(() => installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`)
  },
}

const ofPayouts: Fault[] = [
  {
    name: 'a key used for another request',
    check: refusal(422, 'idempotency_key_reused'),
    isFirst: true,
    put: async ({ sender, idempotency_key }) => checkPayout(await sender.send(payout(1), { idempotency_key }), 201),
  },
  {
    name: 'an entry that is in no book',
    check: refusal(404, 'resource_not_found'),
    put: ({ body }) => {
      delete body.beneficiary
      body.beneficiary_id = randomUUID()
    },
  },
  inactive,
  {
    name: 'the cap of one operation',
    check: held('plafond_operation'),
    put: ({ body }) => Object.assign(body, { amount: 100_001 }),
  },
  {
    name: 'the cap of 24 hours',
    check: held('plafond_24h'),
    put: ({ sender: { tenant } }) => installation.db.sql`
      insert into payout_caps (merchant_id, livemode, day)
      values (${tenant.merchant_id}, ${tenant.livemode}, 1)`,
  },
  {
    name: 'no funds',
    check: refusal(409, 'insufficient_funds'),
    // What a payout costs is more than there is.
    put: ({ sender: { tenant } }) => installation.db.sql`
      insert into fee_schedules (merchant_id, service, effective_from, fixed)
      values (${tenant.merchant_id}, 'payout', clock_now(), 2000000)`,
  },
]

const ofExecution: Fault[] = [
  {
    name: 'no such batch',
    check: refusal(404, 'resource_not_found'),
    put: (draft) => Object.assign(draft, { batch_id: 'pob_1' }),
  },
  inactive,
  {
    name: 'a batch that was cancelled',
    check: refusal(409, 'batch_not_executable'),
    put: ({ sender, batch_id, finally: last }) =>
      last.unshift(async () => checkBatch(await sender.cancel(batch_id!), 200, { status: 'annule' })),
  },
]

for (const [route, faults] of [
  [`POST ${PAYOUTS}`, ofPayouts],
  [`POST ${BATCHES}/:batch_id/execute`, ofExecution],
] as const) {
  for (const [rank, first] of faults.entries()) {
    test(`${route}: ${first.name} is said before all that comes after it`, async () => {
      for (const second of [null, ...faults.slice(rank + 1)]) {
        const why = second === null ? first.name : `${first.name}, and ${second.name}`
        first.check(await meet(faults === ofExecution, first, second), why)
      }
    })
  }
}

async function meet(executes: boolean, first: Fault, second: Fault | null): Promise<Answer> {
  const sender = await newSender(installation)
  const batch_id = executes ? checkBatch(await sender.prepare({ lines: [payout(100)] }), 201).id : null
  const draft: Draft = { sender, idempotency_key: randomUUID(), body: payout(100), batch_id, finally: [] }
  // The later one first: where both want one thing, the earlier one has it.
  for (const fault of [second, first].sort((a, b) => Number(b?.isFirst ?? false) - Number(a?.isFirst ?? false))) {
    await fault?.put(draft)
  }
  for (const finish of draft.finally) await finish()
  // A key of its own, so that nobody knows yet whether its merchant may operate.
  const { key } = await sender.merchant.newKey('test', 'payout')
  const asked: Asked = executes
    ? { method: 'POST', path: `${BATCHES}/${draft.batch_id}/execute`, key }
    : { ...post(PAYOUTS, key, draft.body), idempotency_key: draft.idempotency_key }
  // And of a process that has not met this merchant, so that it knows the fees of now.
  return installation.ask(asked, 1)
}
