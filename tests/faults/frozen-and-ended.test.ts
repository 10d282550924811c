import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTwin } from '../../src/twin/start-twin.ts'
import { newSender } from '../contract/sender.ts'
import { newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'

// Slow: the worker must sleep for longer than the half minute within which it may still send.
test('a worker that froze before it sent a payout sends nothing after two people have ended it', async () => {
  const twin = await startTwin()
  const origin = 'http://127.0.0.1:9'
  await using installation = await openInstallation({ env: { PUBLIC_URL: origin }, processes: [] })
  const { sql } = installation.db
  const operators = [{ api: 'moov', operator: 'moov_ci', prefix: '01' }] as const
  await connectTwin(sql, twin, { secret_key: installation.secret_key, origin, operators })
  installation.services.push(await installation.start({ args: ['--only', 'api'] }))
  const sender = await newSender(installation, { mode: 'live' })
  const before = await sender.balances()
  const env = { CRASH_POINTS: 'on', CRASH_AT: 'after_intent_commit:1:SIGSTOP' }
  const sleeper = await installation.start({ args: ['--only', 'worker'], env })

  const msisdn = newPayer().replace(/^07/, '01').replace(/0000$/, '7777')
  const body = { amount: 600, beneficiary: { msisdn, operator: 'moov_ci', name: 'Awa Koné' } }
  const { id } = (await sender.send(body)).json() as { id: string }
  const isFrozen = async () => /^State:\s+T/m.test(await readFile(`/proc/${sleeper.pid}/status`, 'utf8'))
  await waitFor(isFrozen, { what: 'the worker to freeze' })
  const frozenAt = performance.now()

  await using _other = await installation.start({ args: ['--only', 'worker'] })
  await installation.db.moveClock('26 hours')
  await sender.untilPayout(id, 'indeterminate')
  const anomaly = (...words: string[]) => installation.bandama('anomaly', ...words)
  const [ama, kofi] = [
    ['--as', 'ama@example.com'],
    ['--as', 'kofi@example.com'],
  ] as const
  const { anomaly_id } = await anomaly('open', '--subject', id, '--reason', 'Moov does not have it', ...ama)
  const words = ['--id', String(anomaly_id)]
  await anomaly('propose', ...words, '--resolution', 'as_refused', '--reason', 'Not on their statement', ...ama)
  await anomaly('approve', ...words, ...kofi)
  await sender.untilPayout(id, 'failed')
  assert.deepEqual(await sender.balances(), before)

  await waitFor(() => performance.now() - frozenAt > 31_000, { what: 'half a minute' })
  process.kill(sleeper.pid, 'SIGCONT')
  const hasSaid = async () =>
    (await sql`select from operator_answers where subject_id = ${id} and source = 'send'`).length === 1
  await waitFor(hasSaid, { what: 'the woken worker to record its send' })
  const [said] = await sql<{ outcome: string }[]>`
    select outcome from operator_answers where subject_id = ${id} and source = 'send'`
  assert.equal(said!.outcome, 'not_sent')
  assert.equal(twin.journal().length, 0, 'no money has moved')
  assert.deepEqual(await sender.balances(), before)
  assert.equal((await installation.bandama('audit')).ok, true)
  await sleeper.stop()
  await twin.close()
})
