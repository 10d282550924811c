import { after, before, test } from 'node:test'
import { hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { newSender, payout } from './sender.ts'

// The end of a payout needs the lock of its merchant's balance, which a merchant that executes batches holds for most of the time.

let installation: Installation
before(async () => {
  installation = await openInstallation({
    env: { PAYOUT_CAP_DAY: '1000000000', BATCH_WAIT_SECONDS: '0' },
    processes: [['--only', 'api']],
    waits: true,
  })
})
after(() => installation[Symbol.asyncDispose]())

test('payouts of a merchant whose balance is locked let those of others end', async () => {
  const [busy, neighbour] = [
    await newSender(installation, { funds: 10_000_000 }),
    await newSender(installation, { funds: 10_000_000 }),
  ]
  const to = (at: number) => ({ msisdn: `07${String(at).padStart(4, '0')}1234`, operator: 'orange_ci', name: 'Awa' })
  const lines = Array.from({ length: 100 }, (_, at) => ({ amount: 100, beneficiary: to(at) }))
  const { id: batch } = checkBatch(await busy.prepare({ lines }), 201)
  checkBatch(await busy.execute(batch), 200, { status: 'en_cours' })
  const { sql } = installation.db
  await using held = await hold(
    sql,
    (tx) => tx`select from accounts where merchant_id = ${busy.tenant.merchant_id} for update`,
  )
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  await untilWaiting(sql, { name: 'bandama worker' })
  const { id } = checkPayout(await neighbour.send(payout(100)), 201)
  await neighbour.untilPayout(id, 'succeeded')
  await held.letGo()
})
