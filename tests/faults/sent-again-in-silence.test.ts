import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTwin } from '../../src/twin/start-twin.ts'
import { newSender } from '../contract/sender.ts'
import { freePort } from '../harness/free-port.ts'
import { newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'

test('an order does not use up its sends while its operator answers none, and ends by itself when it does', async () => {
  const twin = await startTwin()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  await using installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin }, processes: [] })
  const { sql } = installation.db
  const operators = [{ api: 'pawapay', operator: 'mtn_ci', prefix: '05' }] as const
  await connectTwin(sql, twin, { secret_key: installation.secret_key, origin, operators })
  installation.services.push(await installation.start())
  const sender = await newSender(installation, { mode: 'live' })
  twin.fault({ fault: 'say_503', api: 'pawapay' })
  const msisdn = newPayer().replace(/^07/, '05').replace(/0000$/, '7777')
  const body = { amount: 600, beneficiary: { msisdn, operator: 'mtn_ci', name: 'Awa Koné' } }
  const { id } = (await sender.send(body)).json() as { id: string }
  type Found = { state: string; attempts: number; asked: number }
  const read = async () =>
    (await sql<Found[]>`select state, attempts, asked from instructions where subject_id = ${id}`)[0]!
  const until = (is: (found: Found) => boolean, what: string) => waitFor(async () => is(await read()), { what })
  /** Until the send of this number has its answer, so that the clock moves on only then. */
  const untilSent = (number: number) =>
    until(({ state, attempts }) => state === 'unknown' && attempts === number, `send ${number} and its answer`)

  await untilSent(1)
  await installation.db.moveClock('15 seconds')
  await untilSent(2)
  await installation.db.moveClock('40 seconds')
  const { asked } = await read()
  await until((found) => found.asked > asked, 'another "not found"')
  assert.equal((await read()).attempts, 2, 'it keeps its sends')
  await installation.db.moveClock('2 minutes')
  await untilSent(3)
  // An outage of three hours, in which the order leaves once more at each step.
  for (const [at, minutes] of [10, 35, 70, 130].entries()) {
    await installation.db.moveClock(`${minutes} minutes`)
    await untilSent(4 + at)
  }

  twin.clear('faults')
  await installation.db.moveClock('190 minutes')
  await sender.untilPayout(id, 'succeeded')
  assert.equal((await read()).attempts, 8)
  assert.equal(twin.journal().length, 1)
  assert.equal((await sql`select from anomalies`).length, 0, 'nobody was asked for help')
  await twin.close()
})
