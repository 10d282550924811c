import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import { checkPayouts, waitForPayouts } from '../harness/oracle.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { act, batch, FEE, idOf, newPayoutMerchant, type PayoutMerchant, payout, tally } from './payout-merchant.ts'

// Two processes record many answers of operators in one transaction each. On common rows they wait for each other, but never
// in a circle, which the database would have to break, and would count.

let installation: Installation

before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'worker']], own: 'reads whole tables' })
})

after(() => installation[Symbol.asyncDispose]())

test('two processes that conclude collections and payouts of the same merchants never deadlock', async (t) => {
  const { sql } = installation.db
  const seed = openSeed(t)
  const merchants = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
      const { key } = await createKey(sql, merchant, { key_prefix: 'bdm', scope: 'collect' })
      return { merchant, collectKey: key.reveal() }
    }),
  )
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 240 }, () => {
        const { merchant, collectKey } = seed.pick(merchants)
        const amount = seed.between(100, 900)
        if (seed.chance(0.5)) return installation.ask(payout(merchant, { amount }))
        const body = { amount, counterparty: { msisdn: '0700000000' } }
        return installation.ask({ path: '/v1-payments', key: collectKey, idempotency_key: randomUUID(), body })
      }),
    )
    assert.deepEqual(tally(answers), { '201': answers.length })
  }
  await waitForPayouts(sql)
  await waitFor(
    async () => (await sql`select from payments where status in ('created', 'pending') limit 1`).length === 0,
  )
  await checkPayouts(sql)
})

test('batches whose lines end at the same time in opposite orders all end', async (t) => {
  const { sql } = installation.db
  const ends = ['00', '01', '02', '04', '05', '06']
  const merchants = await Promise.all(
    Array.from({ length: 4 }, () => newPayoutMerchant(sql, { funds: 10 * 20 * (500 + FEE) })),
  )
  const batches = await Promise.all(
    merchants.flatMap((merchant) =>
      Array.from({ length: 8 }, async () => {
        const msisdns = Array.from({ length: 20 }, (_, at) => `0101${String(at).padStart(2, '0')}00${ends[at % 6]}`)
        return { merchant, batch_id: await newBatch(merchant, msisdns) }
      }),
    ),
  )
  const answers = await Promise.all(
    batches.map(({ merchant, batch_id }) => installation.ask(act(merchant, batch_id, 'execute'))),
  )
  assert.deepEqual(tally(answers), { '200': batches.length })
  await waitForPayouts(sql)
  const ended = await waitFor(async () => {
    const rows = await sql<{ status: string; count: number }[]>`
        select status, count(*)::int as count
          from payout_batches
         where id = any(${batches.map(({ batch_id }) => batch_id)})
         group by status`
    return rows.length === 1 ? rows[0] : null
  })
  assert.deepEqual({ ...ended }, { status: 'termine_avec_erreurs', count: batches.length })
  const counts = await checkPayouts(sql)
  t.diagnostic(JSON.stringify(counts))
})

async function newBatch(merchant: PayoutMerchant, msisdns: string[]): Promise<string> {
  const answer = await installation.ask(batch(merchant, { amount: 500, msisdns }))
  assert.equal(answer.status, 201, answer.text)
  return idOf(answer)
}

test('a hanging lock on a merchant’s balance delays only the calls of this merchant', async () => {
  const { sql } = installation.db
  const [stuck, free] = await Promise.all([1, 2].map(() => newPayoutMerchant(sql, { funds: 100_000 })))
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const hanging = sql.begin(async (tx) => {
    await tx`select from accounts where merchant_id = ${stuck!.merchant_id} for no key update`
    hold()
    await released
  })
  await held
  const stuckAnswers = Array.from({ length: 40 }, () => installation.ask(payout(stuck!, { amount: 100 })))
  const freeAnswers = Array.from({ length: 40 }, () => installation.ask(payout(free!, { amount: 100 })))
  // Answered while the other lock is still held. After ten seconds the server would end its holder.
  assert.deepEqual(tally(await Promise.all(freeAnswers)), { '201': 40 })
  const stillHeld = await sql`
    select from pg_stat_activity where state = 'idle in transaction' and datname = current_database() and application_name = 'test'
       and query like '%for no key update%'`
  assert.equal(stillHeld.length, 1)
  release()
  await hanging
  const { '201': accepted = 0, '500 payout_failed': faults = 0, ...others } = tally(await Promise.all(stuckAnswers))
  assert.deepEqual([accepted + faults, others], [40, {}])
  await waitForPayouts(sql)
  await checkPayouts(sql)
  const [row] = await sql<{ count: number }[]>`
    select count(*) from payouts where merchant_id = ${stuck!.merchant_id}`
  assert.equal(row!.count, accepted, 'a fault left nothing behind')
})
