import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTwin } from '../../src/twin/start-twin.ts'
import { newSender } from '../contract/sender.ts'
import { freePort } from '../harness/free-port.ts'
import { newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'

type Found = { state: string; attempts: number; asked: number }

/** The service in live mode, with an operator that answers inquiries and no send. */
async function openOutage() {
  const twin = await startTwin()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin }, processes: [] })
  const { sql } = installation.db
  const operators = [{ api: 'pawapay', operator: 'mtn_ci', prefix: '05' }] as const
  await connectTwin(sql, twin, { secret_key: installation.secret_key, origin, operators })
  installation.services.push(await installation.start())
  const sender = await newSender(installation, { mode: 'live' })
  twin.fault({ fault: 'say_503', api: 'pawapay' })

  const read = async (id: string) =>
    (await sql<Found[]>`select state, attempts, asked from instructions where subject_id = ${id}`)[0]!
  const until = (id: string, is: (found: Found) => boolean, what: string) =>
    waitFor(async () => is(await read(id)), { what })
  return {
    ...{ installation, sender, twin, read },
    async send(): Promise<string> {
      const msisdn = newPayer().replace(/^07/, '05').replace(/0000$/, '7777')
      const body = { amount: 600, beneficiary: { msisdn, operator: 'mtn_ci', name: 'Awa Koné' } }
      return ((await sender.send(body)).json() as { id: string }).id
    },
    /** Waits until the send of this number has its answer, so that the clock moves on only then. */
    untilSent: (id: string, number: number) =>
      until(id, ({ state, attempts }) => state === 'unknown' && attempts === number, `send ${number} and its answer`),
    /** A payout whose first two sends were not answered. */
    async sendTwice(): Promise<string> {
      const id = await this.send()
      await this.untilSent(id, 1)
      await installation.db.moveClock('15 seconds')
      await this.untilSent(id, 2)
      return id
    },
    async untilAskedAgain(id: string): Promise<void> {
      const { asked } = await read(id)
      await until(id, (found) => found.asked > asked, 'another "not found"')
    },
    /** The process ends, and another begins, which knows nothing of the operator. */
    async restart(): Promise<void> {
      await installation.services.pop()!.stop()
      installation.services.push(await installation.start())
    },
    async untilPaidWithoutHelp(id: string): Promise<void> {
      await sender.untilPayout(id, 'succeeded')
      assert.equal((await sql`select from anomalies where subject_id = ${id}`).length, 0, 'nobody was asked for help')
    },
    async [Symbol.asyncDispose]() {
      await installation[Symbol.asyncDispose]()
      await twin.close()
    },
  }
}

test('an order does not use up its sends while its operator answers none, and ends by itself when it does', async () => {
  await using outage = await openOutage()
  const { twin, untilSent, read } = outage
  const { moveClock } = outage.installation.db
  const id = await outage.sendTwice()
  await moveClock('40 seconds')
  await outage.untilAskedAgain(id)
  assert.equal((await read(id)).attempts, 2, 'it keeps its sends')
  await moveClock('2 minutes')
  await untilSent(id, 3)
  // An outage of three hours, in which the order leaves once more at each step.
  for (const [at, minutes] of [10, 35, 70, 130].entries()) {
    await moveClock(`${minutes} minutes`)
    await untilSent(id, 4 + at)
  }

  twin.clear('faults')
  await moveClock('190 minutes')
  await outage.untilPaidWithoutHelp(id)
  assert.equal((await read(id)).attempts, 8)
  assert.equal(twin.journal().length, 1)
})

test('processes that start in an outage do not use up the sends of an order', async () => {
  await using outage = await openOutage()
  const { twin, read } = outage
  const { moveClock } = outage.installation.db
  const id = await outage.sendTwice()
  for (const minutes of [2, 6, 12, 20]) {
    await outage.restart()
    await moveClock(`${minutes} minutes`)
    await outage.untilAskedAgain(id)
  }
  assert.ok((await read(id)).attempts <= 4, 'it leaves at the steps of its first half hour only')
  twin.clear('faults')
  await moveClock('65 minutes')
  await outage.untilPaidWithoutHelp(id)
  assert.equal(twin.journal().length, 1)
})

test('the answer to one order lets the others leave, also while the circuit is open', async () => {
  await using outage = await openOutage()
  const { twin, untilSent, read } = outage
  const { moveClock } = outage.installation.db
  const id = await outage.send()
  await untilSent(id, 1)
  for (const [at, time] of ['15 seconds', '2 minutes', '6 minutes'].entries()) {
    await moveClock(time)
    await untilSent(id, 2 + at)
  }
  await moveClock('20 minutes')
  await outage.untilAskedAgain(id)
  // The fifth send in a row without an answer.
  const fresh = await outage.send()
  await untilSent(fresh, 1)
  twin.clear('faults')
  await moveClock('20 minutes 30 seconds')
  await outage.untilPaidWithoutHelp(fresh)
  assert.equal((await read(id)).attempts, 4)
  await moveClock('26 minutes')
  await outage.untilPaidWithoutHelp(id)
  assert.equal(twin.journal().length, 2)
})
