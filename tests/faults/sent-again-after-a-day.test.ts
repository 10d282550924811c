import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTwin } from '../../src/twin/start-twin.ts'
import { checkPayment } from '../contract/answers.ts'
import { newSender } from '../contract/sender.ts'
import { freePort } from '../harness/free-port.ts'
import { newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'

/** More than the sends in a row that open a circuit. */
const ORDERS = 6

test('a payout that Wave does not hold a day later goes to people, and does not close Wave for other orders', async () => {
  const twin = await startTwin()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  await using installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin }, processes: [] })
  const { sql } = installation.db
  const operators = [{ api: 'wave', operator: 'wave_ci', prefix: '01' }] as const
  await connectTwin(sql, twin, { secret_key: installation.secret_key, origin, operators })
  installation.services.push(await installation.start())
  const sender = await newSender(installation, { mode: 'live' })
  const { key } = await sender.merchant.newKey('live', 'collect')
  const newPhone = () => newPayer().replace(/^07/, '01').replace(/0000$/, '7777')
  const send = async () => {
    const body = { amount: 600, beneficiary: { msisdn: newPhone(), operator: 'wave_ci', name: 'Awa Koné' } }
    return ((await sender.send(body)).json() as { id: string }).id
  }
  const read = async (id: string) =>
    (
      await sql<
        { state: string; attempts: number }[]
      >`select state, attempts from instructions where subject_id = ${id}`
    )[0]!

  const lost: string[] = []
  while (lost.length < ORDERS) {
    twin.fault({ fault: 'say_503', api: 'wave', times: 1 })
    const id = await send()
    await waitFor(async () => (await read(id)).state === 'unknown', { what: 'the answer to the send' })
    lost.push(id)
    // Wave answers others, so that its circuit stays closed.
    await sender.untilPayout(await send(), 'succeeded')
  }
  await installation.db.moveClock('25 hours')
  for (const id of lost) {
    const isKept = async () =>
      (await sql`select from anomalies where subject_id = ${id} and kind = 'in_doubt'`).length === 1
    await waitFor(isKept, { what: 'the anomaly' })
    assert.deepEqual({ ...(await read(id)) }, { state: 'unknown', attempts: 1 })
  }
  const asked = { amount: 1_000, operator: 'wave_ci', counterparty: { msisdn: newPhone() } }
  const { id } = checkPayment(await installation.pay(key, asked), 201)
  const seen = await waitFor(
    async () => {
      const payment = checkPayment(await installation.read(key, id), 200)
      return payment.next_action !== undefined || payment.status === 'failed' ? payment : null
    },
    { what: 'the page of Wave' },
  )
  assert.equal(seen.status, 'pending', 'Wave is open for new orders')
  assert.equal(twin.journal().length, ORDERS)
  await twin.close()
})
