import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import { API_AND_WORKER, race } from './cancel-race.ts'
import { auditPasses, newSession, open, payOn, untilStatus } from './payer.ts'
import { askExtensions } from './x-answers.ts'

const cancelOf = (installation: Installation) => (key: string, id: string) =>
  installation.ask({ method: 'POST', path: `/x/payments/${id}/cancel`, key })

/** How often each payment of the installation was given to its operator. */
async function sendsOf({ db: { sql } }: Installation): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; sends: number }[]>`
    select p.id, count(s.reference)::int as sends
      from payments p
      left join sends s on (s.merchant_id, s.livemode, s.subject_id) = (p.merchant_id, p.livemode, p.id)
     group by p.id`
  return new Map(rows.map(({ id, sends }) => [id, sends]))
}

test('a waiting payment is cancelled once, its merchant is told, and a worker later sends only the others', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'audits all books' })
  const { pay, newMerchant, read } = installation
  const cancel = cancelOf(installation)
  const { list } = askExtensions(() => installation)
  const { key } = await newMerchant()
  const made = await Promise.all(
    Array.from({ length: 6 }, async () =>
      checkPayment(await pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }), 201),
    ),
  )
  const [first, second, ...others] = made.map(({ id }) => id) as [string, string, ...string[]]

  const cancelled = checkPayment(await cancel(key, first), 200, {
    status: 'failed',
    failure_code: 'cancelled',
    failure_message: 'Cancelled before the operator carried it out.',
  })
  assert.ok(cancelled.failed_at !== null)
  assert.deepEqual(checkPayment(await read(key, first), 200), cancelled)
  checkRefusal(await cancel(key, first), 409, 'payment_not_cancellable')
  const { data } = await list(key, `?subject_id=${first}`)
  assert.deepEqual(
    data.map(({ type, data }) => [type, data]),
    [['payment.failed', cancelled]],
  )

  // At once, and twice: one of two calls has it.
  const answers = await Promise.all([cancel(key, second), cancel(key, second)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  await auditPasses(installation)

  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  for (const id of others) {
    await waitFor(async () => checkPayment(await read(key, id), 200).status === 'succeeded', {
      what: `${id} to succeed`,
    })
  }
  const sends = await sendsOf(installation)
  for (const id of [first, second]) assert.equal(sends.get(id), 0)
  for (const id of others) {
    assert.equal(sends.get(id), 1)
    checkRefusal(await cancel(key, id), 409, 'payment_not_cancellable')
  }
  const [left] = await installation.db.sql<{ groups: number }[]>`select count(*)::int as groups from collection_outbox`
  assert.equal(left!.groups, 0)
  await auditPasses(installation)
})

test('a cancelled attempt frees its checkout session, which another attempt pays', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'audits all books' })
  const { key } = await installation.newMerchant()
  const { path } = await newSession(installation, key)
  const { attempt } = await payOn(installation, path, newPayer())
  checkPayment(await cancelOf(installation)(key, attempt!.payment_id), 200)
  const { payable, attempt: ended } = await open(installation, path)
  assert.deepEqual([payable, ended?.status, ended?.failure_code], [true, 'failed', 'cancelled'])
  const second = await payOn(installation, path, newPayer())
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  const paid = await untilStatus(installation, path, 'paid')
  assert.equal(paid.attempt?.payment_id, second.attempt!.payment_id)
  await auditPasses(installation)
})

test('of a cancellation and a sending that meet the first one wins, and a cancelled payment is never sent', async () => {
  await using installation = await openInstallation({ ...API_AND_WORKER, own: 'audits all books' })
  const { pay, newMerchant, read } = installation
  const { key } = await newMerchant()
  for (const first of ['cancellation', 'sending', 'cancellation'] as const) {
    const { id, answer } = await race(installation, first, {
      make: async () => checkPayment(await pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }), 201).id,
      lock: (tx, id) => tx`select from payments where id = ${id} for no key update`,
      cancel: (id) => cancelOf(installation)(key, id),
    })
    const isCancelled = first === 'cancellation'
    if (isCancelled) checkPayment(answer, 200, { status: 'failed', failure_code: 'cancelled' })
    else checkRefusal(answer, 409, 'payment_not_cancellable')
    const ends = isCancelled ? 'failed' : 'succeeded'
    await waitFor(async () => checkPayment(await read(key, id), 200).status === ends, { what: `${id} to be ${ends}` })
    // The sending has taken the group of this payment.
    await waitFor(async () => (await installation.db.sql`select from collection_outbox`).length === 0)
    assert.equal((await sendsOf(installation)).get(id), isCancelled ? 0 : 1)
  }
  await auditPasses(installation)
})
