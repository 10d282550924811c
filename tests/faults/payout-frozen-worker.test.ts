import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { CrashPoint } from '../../src/platform/crash-point.ts'
import { openInstallation } from '../harness/installation.ts'
import { checkPayouts } from '../harness/oracle.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { newPayoutMerchant, payout, tally } from './payout-merchant.ts'

// A worker freezes during a send. The others treat it as dead, and it wakes after another has taken over its work.

const PAYOUTS = 30

const moments: { point: CrashPoint; time: number }[] = [
  // The operator has not heard of the order that the sleeper is about to send, and the other worker sends it again. When the sleeper
  // wakes, it sends it after all; the operator promises to carry one reference out once, and answers that it holds it.
  { point: 'before_send', time: 10 },
  // The operator has it, and the sleeper has not said so.
  { point: 'after_send', time: 10 },
  // The sleeper holds the locks of half the merchant, until the server ends its transaction.
  { point: 'after_response_before_commit', time: 1 },
]

describe('a worker frozen', { concurrency: moments.length }, () => {
  for (const { point, time } of moments) {
    test(`at ${point} and taken for dead sends nothing twice when it wakes`, async (t) => {
      await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'moves the clock' })
      const { sql } = installation.db
      const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
      // The second worker is ready to take over. A sleeper that wakes after half a minute sends nothing.
      await using other = await installation.start({ args: ['--only', 'worker'] })
      process.kill(other.pid, 'SIGSTOP')
      // All are accepted before the sleeper starts, because it may freeze with the locks that another payout needs.
      const answers = await Promise.all(
        Array.from({ length: PAYOUTS }, () => installation.ask(payout(merchant, { amount: 500 }))),
      )
      assert.deepEqual(tally(answers), { '201': PAYOUTS })
      const env = { CRASH_POINTS: 'on', CRASH_AT: `${point}:${time}:SIGSTOP` }
      const sleeper = await installation.start({ args: ['--only', 'worker'], env })
      await waitFor(() => isFrozen(sleeper), { what: `the worker to freeze at ${point}` })
      const [before] = await sql<{ open: number }[]>`
        select count(*) as open from instructions where state = 'sending'`
      assert.ok(before!.open > 0, 'it froze in the middle of something')
      // On a busy machine it may freeze with some of its payouts still on their way to the operator.
      const held = (await sql<{ reference: string }[]>`select reference from simulator_orders`).map(
        (row) => row.reference,
      )

      // A minute passes without a sign of the sleeper: its leases have run out, and its work is due.
      await sql`update jobs set locked_until = locked_until - interval '1 minute'`
      process.kill(other.pid, 'SIGCONT')
      await installation.db.moveClock('61 seconds')
      const allEnded = async () => (await sql`select from payouts where status <> 'succeeded' limit 1`).length === 0
      await waitFor(allEnded, { deadline_ms: 40_000, what: 'the other worker to take over and end all of it' })
      assert.ok(await isFrozen(sleeper), 'it slept all the time')
      const asleep = await received()

      process.kill(sleeper.pid, 'SIGCONT')
      await waitFor(async () => !(await isFrozen(sleeper)))
      if (point === 'before_send') {
        const late = async () => (await received()).times > asleep.times
        await waitFor(late, { what: 'the late sends' })
      }
      await sleeper.stop()
      const counts = await checkPayouts(sql)
      assert.deepEqual(counts, { succeeded: PAYOUTS })
      const { orders, times } = await received()
      assert.equal(orders, PAYOUTS, 'each was carried out once')
      const [again] = await sql<{ orders: number }[]>`
        select count(*) as orders from simulator_orders where reference = any(${held}::uuid[]) and times_received > 1`
      assert.equal(again!.orders, 0, 'what the operator held when it froze was sent once')
      if (point !== 'before_send') assert.ok(held.length >= time, `the operator held ${held.length} when it froze`)
      assert.ok(times <= 2 * PAYOUTS - held.length, `${times} sends, ${held.length} held when it froze`)
      t.diagnostic(`all ended before it woke; it sent ${times - asleep.times} after`)

      /** The number of orders that the operator executed, and the number of times that it received one. */
      async function received(): Promise<{ orders: number; times: number }> {
        const [row] = await sql<{ orders: number; times: number }[]>`
          select count(*) as orders, coalesce(sum(times_received), 0)::bigint as times from simulator_orders`
        return row!
      }
    })
  }
})

/** Whether the process is stopped. */
async function isFrozen({ pid }: Service): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return /^State:\s+T/m.test(status)
}
