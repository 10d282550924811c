import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold } from '../harness/hold.ts'
import { openInstallation } from '../harness/installation.ts'
import { checkPayouts, waitForPayouts } from '../harness/oracle.ts'
import { waitFor } from '../harness/wait-for.ts'
import { idOf, newPayoutMerchant, payout } from './payout-merchant.ts'

test('a locked instruction does not delay the others of its job, and is sent once the lock is released', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  const { sql } = installation.db
  const [held, free] = [
    await newPayoutMerchant(sql, { funds: 100_000 }),
    await newPayoutMerchant(sql, { funds: 100_000 }),
  ]
  const [heldPayout, ...others] = [
    await installation.ask(payout(held, { amount: 500 })),
    await installation.ask(payout(free, { amount: 500 })),
    await installation.ask(payout(free, { amount: 600 })),
  ].map(idOf)
  // One job for all three, as if they had come together.
  await sql`
    with taken as (delete from jobs where kind = 'send-instructions' returning payload)
    insert into jobs (queue, kind, run_at, payload)
    select 'money', 'send-instructions', now(),
           json_build_object('instructions', (select json_agg(i) from taken, json_array_elements(payload -> 'instructions') i))`

  await using holder = await hold(
    sql,
    (tx) =>
      tx`select from instructions where merchant_id = ${held.merchant_id} and subject_id = ${heldPayout!} for update`,
  )
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  const status = async (id: string) => {
    const [row] = await sql<{ status: string }[]>`select status from payouts where id = ${id}`
    return row!.status
  }
  await waitFor(async () => (await Promise.all(others.map(status))).every((one) => one === 'succeeded'), {
    what: 'the others to be sent and to end',
  })
  assert.equal(await status(heldPayout!), 'created')
  await holder.letGo()
  await waitForPayouts(sql)
  assert.deepEqual(await checkPayouts(sql), { succeeded: 3 })
})
