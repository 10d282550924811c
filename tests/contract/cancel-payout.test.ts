import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { API_AND_WORKER, race } from './cancel-race.ts'
import { auditPasses } from './payer.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { newSender, PATIENCE, payout, type Sender } from './sender.ts'
import { askExtensions } from './x-answers.ts'

const cancel = ({ ask }: Installation, { key }: Sender, id: string) =>
  ask({ method: 'POST', path: `/x/payouts/${id}/cancel`, key })

/** How often a payout was given to its operator. */
async function sendsOf({ db: { sql } }: Installation, id: string): Promise<number> {
  const [row] = await sql<{ sends: number }[]>`select count(*)::int as sends from sends where subject_id = ${id}`
  return row!.sends
}

test('a waiting payout is cancelled once: its money is back, its merchant is told, and it is never sent', async () => {
  await using installation = await openInstallation({ own: 'audits all books' })
  const sender = await newSender(installation)
  await stopPayouts(installation.db.sql, { scope: 'all' }, actor('awa@example.com'))
  const before = await sender.balances()
  const { id } = checkPayout(await sender.send(payout(100)), 201)
  const other = checkPayout(await sender.send(payout(200)), 201).id
  const answers = await Promise.all([cancel(installation, sender, id), cancel(installation, sender, id)])
  const [won, lost] = answers.sort((one, another) => one.status - another.status)
  const cancelled = checkPayout(won!, 200, { status: 'failed', failure_code: 'cancelled' })
  checkRefusal(lost!, 409, 'payout_not_cancellable')
  assert.deepEqual(checkPayout(await sender.read(id), 200), cancelled)
  checkRefusal(await cancel(installation, sender, id), 409, 'payout_not_cancellable')
  const { data } = await askExtensions(() => installation).list(sender.key, `?subject_id=${id}`)
  assert.deepEqual(
    data.map(({ type, data }) => [type, data]),
    [['payout.failed', cancelled]],
  )
  checkPayout(await cancel(installation, sender, other), 200)
  assert.deepEqual(await sender.balances(), before)

  const batch = checkBatch(await sender.prepare({ lines: [payout(300), payout(400)] }), 201)
  // It answers when the lines have ended.
  const executed = sender.execute(batch.id)
  const first = await waitFor(
    async () => checkBatch(await sender.readBatch(batch.id), 200).lines[0]!.payout_id,
    PATIENCE,
  )
  checkPayout(await cancel(installation, sender, first), 200)

  await resumeByTwo(installation.db.sql, { scope: 'all' })
  await executed
  const { lines } = await sender.untilBatch(batch.id, 'termine_avec_erreurs')
  assert.deepEqual(
    lines.map(({ status, failure_code }) => [status, failure_code]),
    [
      ['failed', 'cancelled'],
      ['succeeded', null],
    ],
  )
  for (const one of [id, other, first]) assert.equal(await sendsOf(installation, one), 0)
  await auditPasses(installation)
})

test('of a cancellation and a sending that meet the first one wins, and a cancelled payout is never sent', async () => {
  await using installation = await openInstallation({ ...API_AND_WORKER, own: 'audits all books' })
  const sender = await newSender(installation)
  for (const first of ['cancellation', 'sending', 'cancellation'] as const) {
    const { id, answer } = await race(installation, first, {
      make: async () => checkPayout(await sender.send(payout(100)), 201).id,
      lock: (tx, id) => tx`select from instructions where subject_id = ${id} for no key update`,
      cancel: (id) => cancel(installation, sender, id),
    })
    const isCancelled = first === 'cancellation'
    if (isCancelled) checkPayout(answer, 200, { status: 'failed', failure_code: 'cancelled' })
    else checkRefusal(answer, 409, 'payout_not_cancellable')
    await sender.untilPayout(id, isCancelled ? 'failed' : 'succeeded')
    // The job of the sending has ended.
    await waitFor(
      async () => (await installation.db.sql`select from jobs where kind = 'send-instructions'`).length === 0,
    )
    assert.equal(await sendsOf(installation, id), isCancelled ? 0 : 1)
  }
  await auditPasses(installation)
})
