import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { CrashPoint } from '../../src/platform/crash-point.ts'
import { openInstallation } from '../contract/installation.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayouts } from './payout-books.ts'
import { newPayoutMerchant, payout, tally } from './payout-merchant.ts'

// A worker freezes in the middle of sending, is taken for dead, and wakes when another has taken its work over.

const PAYOUTS = 30

const moments: { point: CrashPoint; time: number; meanwhile: string }[] = [
  // What the sleeper is about to send, the operator has not heard of; when it wakes, it sends it after all, once.
  { point: 'before_send', time: 10, meanwhile: 'indeterminate' },
  // The operator has it, and the sleeper has not said so.
  { point: 'after_send', time: 10, meanwhile: 'succeeded' },
  // The sleeper holds the locks of half the merchant, until the server ends its transaction.
  { point: 'after_response_before_commit', time: 1, meanwhile: 'succeeded' },
]

describe('a worker frozen', { concurrency: moments.length }, () => {
  for (const { point, time, meanwhile } of moments) {
    test(`at ${point} and taken for dead sends nothing twice when it wakes`, async (t) => {
      await using installation = await openInstallation({ processes: [['--only', 'api']] })
      const { sql } = installation.db
      const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
      const env = { CRASH_POINTS: 'on', CRASH_AT: `${point}:${time}:SIGSTOP` }
      const sleeper = await installation.start({ args: ['--only', 'worker'], env })
      const sleepers = (await sql<{ worker_id: string }[]>`select worker_id from workers`).map((row) => row.worker_id)
      // Ready to take over when the time has come: a sleeper that wakes after half a minute sends nothing.
      await using other = await installation.start({ args: ['--only', 'worker'] })
      process.kill(other.pid, 'SIGSTOP')
      const answers = await Promise.all(
        Array.from({ length: PAYOUTS }, () => installation.ask(payout(merchant, { amount: 500 }))),
      )
      assert.deepEqual(tally(answers), { '201': PAYOUTS })
      await waitFor(() => isFrozen(sleeper), { deadline_ms: 10_000, what: `the worker to freeze at ${point}` })
      const [before] = await sql<{ open: number }[]>`
        select count(*) as open from instructions where state = 'sending'`
      assert.ok(before!.open > 0, 'it froze in the middle of something')

      // A minute passes in which it was not heard: its jobs are free, and what it was doing is due.
      process.kill(other.pid, 'SIGCONT')
      await sql`update workers set beat_at = beat_at - interval '1 minute' where worker_id = any(${sleepers})`
      await installation.db.moveClock('61 seconds')
      const taken = await waitFor(
        async () => {
          const rows = await sql<{ status: string }[]>`select status from payouts`
          return rows.every(({ status }) => status !== 'created' && status !== 'processing') && rows
        },
        { deadline_ms: 40_000, what: 'the other worker to take over' },
      )
      const done = taken.filter(({ status }) => status === meanwhile).length
      assert.ok(done > 0, JSON.stringify(taken))
      assert.ok(await isFrozen(sleeper), 'it slept all the time')
      const ordersBefore = await countOrders()

      process.kill(sleeper.pid, 'SIGCONT')
      await waitFor(async () => !(await isFrozen(sleeper)), { deadline_ms: 5_000 })
      if (point === 'before_send') {
        await waitFor(async () => (await countOrders()) > ordersBefore, { deadline_ms: 5_000, what: 'the late sends' })
      }
      await waitFor(async () => (await sql`select from payouts where status <> 'succeeded' limit 1`).length === 0, {
        deadline_ms: 30_000,
        what: 'every payout to succeed',
      })
      await sleeper.stop()
      const counts = await checkPayouts(sql)
      assert.deepEqual(counts, { succeeded: PAYOUTS })
      assert.equal(await countOrders(), PAYOUTS, 'each was sent once')
      t.diagnostic(`${done} were ${meanwhile} before it woke; ${PAYOUTS - ordersBefore} were sent after`)

      async function countOrders(): Promise<number> {
        const [row] = await sql<{ orders: number }[]>`select count(*) as orders from simulator_orders`
        return row!.orders
      }
    })
  }
})

/** Whether the kernel holds the process stopped. */
async function isFrozen({ pid }: Service): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return /^State:\s+T/m.test(status)
}
