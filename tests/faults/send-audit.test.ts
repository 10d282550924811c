import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sendChecks } from '../../src/app/audit/send-checks.ts'
import { checkBooks } from '../../src/app/audit.ts'
import { openTestDatabase } from '../harness/database.ts'
import { notFound, openDoubts } from './doubts.ts'
import { type Harm, testHarms } from './harm.ts'

// Every other test trusts the audit. So these tests break each of its checks about sends once, with the triggers off, and the audit must
// find it.

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { sql } = db
const { inDoubt, dyingWorker } = openDoubts(sql)

// The first instruction was sent again, as allowed. The second is in doubt, and the third is not sent yet.
const again = await inDoubt(notFound)
await dyingWorker().again(again)
await inDoubt(notFound.slice(1))
const prepared = await inDoubt([])
await sql`update sends set not_sent_at = clock_now() where subject_id = ${prepared.subject_id}`
await sql`update instructions set state = 'prepared' where subject_id = ${prepared.subject_id}`

test('a repeated send that is allowed passes the audit', async () => {
  const found = await sql.begin((tx) => checkBooks(tx))
  assert.deepEqual(
    found.filter(({ wrong }) => wrong > 0),
    [],
  )
})

const [once, evidence] = sendChecks.map(({ check }) => check) as [string, string]
const second = { subject_id: again.subject_id, attempt: 2 }

const harms: [string, Harm][] = [
  [once, (tx) => tx`delete from sends where subject_id = ${second.subject_id} and attempt = 2`],
  [once, (tx) => tx`update instructions set sent_again = 0 where subject_id = ${second.subject_id}`],
  [once, (tx) => tx`update sends set not_sent_at = clock_now() where not_sent_at is null`],
  [once, (tx) => tx`update sends set not_sent_at = null`],
  [evidence, (tx) => tx`delete from operator_answers where number = 1`],
  [evidence, (tx) => tx`update operator_answers set answered_at = answered_at - interval '2 seconds'`],
  [evidence, (tx) => tx`update operator_answers set answered_at = clock_now() + interval '1 hour'`],
  [evidence, (tx) => tx`update operator_answers set outcome = 'unknown'`],
  [once, (tx) => tx`update sends set connector = 'another'`],
  [evidence, (tx) => tx`update sends set reference = gen_random_uuid() where attempt = 2`],
  [evidence, (tx) => tx`update sends set payload_hash = sha256(payload_hash) where attempt = 2`],
  [evidence, (tx) => tx`update sends set again_times = null, again_after_seconds = null`],
  [evidence, (tx) => tx`update sends set attempt = 3 where attempt = 2`],
]

testHarms(() => sql, sendChecks, ['sends', 'operator_answers'], harms)
