import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { carryOutAlone } from '../../src/payouts/alone/carry-out-alone.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { checkBatch } from '../contract/payout-answers.ts'
import { payout } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { approveBatch, rejectBatch } from '../harness/approvals.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type AloneShop, aloneDeps, backToThePresent, DAY, newAloneShop, outcomeOf } from './alone-shop.ts'

// Batches of a merchant with one person: approved alone a day ahead, like its payouts. No worker runs; each test runs the sweep itself.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], env: { BATCH_WAIT_SECONDS: '1' } })
})
after(() => installation[Symbol.asyncDispose]())

/** Makes a batch above the cap of 24 hours, by the merchant's key. Returns its id. */
async function newBatch({ sender }: AloneShop): Promise<string> {
  const body = { lines: Array.from({ length: 6 }, () => payout(99_000)) }
  return checkBatch(await sender.prepare(body), 201, { status: 'en_attente_validation' }).id
}

/** Makes such a batch as Aya in the console. */
async function newOwnBatch(shop: AloneShop): Promise<string> {
  const id = await newBatch(shop)
  await installation.db.sql`update payout_batches set made_by = ${shop.aya.email} where id = ${id}`
  return id
}

const statusOf = async ({ sender }: AloneShop, id: string) => checkBatch(await sender.readBatch(id), 200).status

async function sweepADayLater(): Promise<void> {
  await installation.db.moveClock(DAY)
  await carryOutAlone(aloneDeps(installation))
  await backToThePresent(installation)
}

test('the only person of a merchant approves batches of their key and their own a day ahead, and then executes them', async () => {
  const { sql } = installation.db
  const shop = await newAloneShop(installation)
  const [of_key, own] = [await newBatch(shop), await newOwnBatch(shop)]
  const page = `${shop.base}/approvals/${own}`
  assert.doesNotMatch((await shop.aya.get(page)).text, /approve-alone/, 'the staff do not allow it')
  await shop.allow()
  for (const id of [of_key, own]) {
    assert.match((await shop.aya.get(`${shop.base}/approvals/${id}`)).text, /approve-alone/)
    assert.match((await shop.approve(id)).location ?? '', /done=approved_alone/)
    assert.match((await shop.aya.get(`${shop.base}/approvals/${id}`)).text, /Approuvé, attend 24 heures/)
    assert.equal(await statusOf(shop, id), 'en_attente_validation', 'the interface knows no other state')
    // The database itself enforces the day.
    const by = id === own ? 'payout_batches_two_people' : 'payout_batches_makers_side'
    const decided = sql`
      update payout_batches set decided_by = ${shop.aya.email}, status = 'brouillon', approved_at = clock_now() where id = ${id}`
    await assert.rejects(decided, (error) => violatedConstraint(error) === by)
  }
  await sweepADayLater()
  for (const id of [of_key, own]) {
    assert.deepEqual(await outcomeOf(installation, id), { outcome: 'carried_out', ended_by: 'schedule' })
    assert.equal(await statusOf(shop, id), 'brouillon')
    assert.match(
      (await shop.aya.get(`${shop.base}/approvals/${id}`)).text,
      /Accord donné seul<\/dt><dd>il a pris effet/,
    )
  }
  const lines = await sql<{ act: string; actor: string }[]>`
    select act, actor from audit_log where subject = ${own}`
  assert.deepEqual(lines.map(({ act, actor: by }) => `${act} ${by}`).toSorted(), [
    `payout_batch.approve ${shop.aya.email}`,
    `payout_batch.approve_alone ${shop.aya.email}`,
    'payout_batch.carry_out_alone schedule',
  ])
  // A batch that was approved so proceeds like any other.
  await shop.sender.deposit(1_000_000)
  assert.equal((await shop.sender.execute(own)).status, 200)
  assert.equal(await statusOf(shop, own), 'en_cours')
})

test('an approval of a batch ends when a person stops it, cancels the batch, or when another person decides', async () => {
  const { sql } = installation.db
  const shop = await newAloneShop(installation)
  await shop.allow()
  const deps = aloneDeps(installation)
  const kofi = actor('kofi@example.com')
  const ends = {
    stopped: (id: string) =>
      shop.aya.post(`${shop.base}/approvals/${id}/stop-alone`, {}, `${shop.base}/approvals/${id}`),
    cancelled: (id: string) => shop.sender.cancel(id),
    decided: (id: string) => approveBatch(deps, id, kofi),
    rejected: (id: string) => rejectBatch(deps, id, kofi),
  }
  const batches: [string, string][] = []
  for (const [outcome, end] of Object.entries(ends)) {
    const id = await newBatch(shop)
    await shop.approve(id)
    await end(id)
    assert.equal((await outcomeOf(installation, id))?.outcome, outcome)
    const acts =
      await sql`select from audit_log where subject = ${id} and act in ('payout_batch.end_alone', 'payout_batch.stop_alone')`
    assert.equal(acts.length, 1, outcome)
    batches.push([id, await statusOf(shop, id)])
  }
  await sweepADayLater()
  for (const [id, status] of batches) assert.equal(await statusOf(shop, id), status)
})

test('nobody approves their own batch without the permission, or before the day is over', async () => {
  const shop = await newAloneShop(installation)
  const deps = aloneDeps(installation)
  const ids = [await newBatch(shop), await newOwnBatch(shop)]
  const refused = { kind: 'refused', code: 'same_person' }
  for (const id of ids) assert.deepEqual(await approveBatch(deps, id, actor(shop.aya.email)), refused)
  await shop.allow()
  for (const id of ids) {
    await shop.approve(id)
    assert.deepEqual(await approveBatch(deps, id, actor(shop.aya.email)), refused)
  }
})
