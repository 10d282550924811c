import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { newSession, payOn, untilAttempt } from './payer.ts'

/** Creates a payment that no worker processes. @param lost its job is gone too, as if a queue had forgotten it */
async function payUnattended({ pay, db }: Installation, key: string, lost: boolean): Promise<string> {
  const { id } = checkPayment(await pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }), 201)
  if (lost) await db.sql`delete from jobs where payload::text like ${`%${id}%`}`
  return id
}

const untilStatus = ({ read }: Installation, key: string, id: string, status: string) =>
  waitFor(async () => checkPayment(await read(key, id), 200).status === status, {
    what: `${id} to be ${status}`,
  })

test('a payment that could not be sent for a day expires, and its payer is no longer asked', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'moves the clock' })
  const { db, start, newMerchant } = installation
  const { key } = await newMerchant()

  // Within the day the sweep finds what a lost job forgot.
  const forgotten = await payUnattended(installation, key, true)
  await db.moveClock('23 hours')
  const worker = await start({ args: ['--only', 'worker'] })
  await untilStatus(installation, key, forgotten, 'succeeded')
  await worker.stop()

  const [withJob, withoutJob] = [
    await payUnattended(installation, key, false),
    await payUnattended(installation, key, true),
  ]
  // The process hears within a second that it is later; a session of before would be over at once.
  const session = await waitFor(
    async () => {
      const made = await newSession(installation, key)
      return Date.parse(made.expires_at) - Date.now() > 22 * 3_600_000 && made
    },
    { what: 'a session of the new time' },
  )
  const { attempt } = await payOn(installation, session.path, newPayer())
  await db.moveClock('48 hours')
  // Accepted when the others are a day old already; it may travel with them.
  const young = await payUnattended(installation, key, false)
  await start({ args: ['--only', 'worker'] })
  await untilStatus(installation, key, young, 'succeeded')
  for (const id of [withJob, withoutJob]) {
    await untilStatus(installation, key, id, 'expired')
    checkPayment(await installation.read(key, id), 200, { failure_code: null, failed_at: null, succeeded_at: null })
  }
  const given = (await untilAttempt(installation, session.path, 'expired')).attempt!
  assert.equal(given.payment_id, attempt!.payment_id)
  // It ended when it was given up, and not when it was made.
  assert.ok(Date.parse(given.ended_at!) - Date.parse(given.created_at) > 24 * 3_600_000, given.ended_at!)
  const [row] = await db.sql<{ sends: number }[]>`
    select count(*)::int as sends from sends where subject_id in (${withJob}, ${withoutJob})`
  assert.equal(row!.sends, 0)
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true)
})
