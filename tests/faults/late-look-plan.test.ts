import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newSender, PATIENCE, payout, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

// The late looks at one refused payout, from the first to the last. The test moves the refusal into the past, because the plan lasts three days.

let installation: Installation
let sender: Sender
let id: string
before(async () => {
  installation = await openInstallation({ env: { LATE_LOOKS_SECONDS: '600,3600,259200' } })
  sender = await newSender(installation)
  id = ((await sender.send(payout(1_000, '0002'))).json() as { id: string }).id
  await sender.untilPayout(id, 'failed')
})
after(() => installation[Symbol.asyncDispose]())

type Row = { look: number | null; answers: number }

/** The next look, in whole minutes after the refusal, and the answers so far. */
async function read(): Promise<Row> {
  const [row] = await installation.db.sql<Row[]>`
    select round(extract(epoch from look_again_at - concluded_at) / 60)::float8 as look,
           (select count(*)::int from operator_answers a where a.subject_id = i.subject_id) as answers
      from instructions i
     where subject_id = ${id}`
  return row!
}

/** Moves the refusal so many minutes into the past, which makes the next look due, and waits for it. */
async function lookAfter(minutes: number): Promise<Row> {
  const { answers } = await read()
  await installation.db.sql`
    update instructions
       set concluded_at = clock_now() - make_interval(mins => ${minutes}), look_again_at = clock_now()
     where subject_id = ${id}`
  await waitFor(async () => (await read()).answers > answers, {
    ...PATIENCE,
    what: `the look after ${minutes} minutes`,
  })
  return read()
}

test('each look asks once, and the next one comes by the setting until there is none', async () => {
  const { answers, look } = await read()
  assert.equal(look, 10)
  assert.deepEqual(await lookAfter(11), { look: 60, answers: answers + 1 })
  assert.deepEqual(await lookAfter(61), { look: 4_320, answers: answers + 2 })
  assert.deepEqual(await lookAfter(4_321), { look: null, answers: answers + 3 })
  assert.equal(((await sender.read(id)).json() as { status: string }).status, 'failed')
})

test('a collection takes the second look and the fourth', async () => {
  const { key } = sender.merchant
  const asked = { amount: 1_000, counterparty: { msisdn: '0700110002' } }
  const { id: payment } = (await installation.pay(key, asked)).json() as { id: string }
  const look = await waitFor(async () => {
    const [row] = await installation.db.sql<{ look: number | null }[]>`
      select round(extract(epoch from look_again_at - concluded_at) / 60)::float8 as look
        from instructions where subject_id = ${payment} and state = 'refused'`
    return row
  }, PATIENCE)
  assert.deepEqual(look, { look: 60 })
})

test('a claimed look moves to the next time of the plan, so that none comes back for ever', async () => {
  const { sql } = installation.db
  await sql`
    update instructions
       set connector = 'removed', concluded_at = clock_now() - make_interval(mins => 61), look_again_at = clock_now()
     where subject_id = ${id}`
  await waitFor(async () => (await read()).look === 4_320, { ...PATIENCE, what: 'the look to be claimed' })
  const jobs = async () => (await sql`select from jobs where kind = 'look-again'`).length
  await waitFor(async () => (await jobs()) === 0, { ...PATIENCE, what: 'its job to end' })
  assert.equal((await read()).look, 4_320)
})
