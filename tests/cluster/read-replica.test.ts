import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { type Asked, ask } from '../contract/ask.ts'
import { payment } from '../contract/installation.ts'
import { newMerchant, openInstallation } from '../faults/installation.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { cannotStartServers, type Server, startPair } from './postgres-servers.ts'

/** Of a read that finds the standby behind: its patience, and the answer of the primary on a busy machine. */
const SLOW_MS = 4_500

test('events and statements are read from a standby, and who has just done something is never told otherwise, whether it keeps up, is behind or gone', {
  skip: cannotStartServers,
  timeout: 110_000,
}, async (t) => {
  await using pair = await startPair({ synchronous: false })
  const { primary, standby } = pair
  // Reading from the standby needs no special rights.
  const url = primary.url.replace('postgres@', 'clerk@')
  await primary.ask('create role clerk login; grant create on schema public to clerk')
  const installation = await openInstallation(url, {
    DATABASE_READ_URL: standby.url.replace('postgres@', 'clerk@'),
    DATABASE_READ_LAG_MS: '2000',
  })
  await using service = await installation.start()
  const sql = openDatabase({ url, connections: 2, name: 'test' })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const { key, merchant_id } = await newMerchant(sql, installation.secret_key, null)
  const merchant = { service, key, paid: 0 }

  for (let at = 0; at < 12; at += 1) await payAndLook(merchant)
  const answered = await waitFor(async () => (await readsOf(standby)) >= 36 && (await readsOf(standby)), {
    deadline_ms: 10_000,
    what: 'the standby to have answered them all',
  })
  assert.doesNotMatch(service.output(), /standby is not read/)

  await standby.ask('select pg_wal_replay_pause()')
  for (let at = 0; at < 3; at += 1) await payAndLook(merchant)
  assert.match(service.output(), /the standby is not read for now/)

  await standby.ask('select pg_wal_replay_resume()')
  await waitFor(
    async () => {
      await payAndLook(merchant)
      return service.output().includes('the standby is read again')
    },
    { deadline_ms: 40_000, what: 'the standby to be read again' },
  )

  const today = Temporal.Now.plainDateISO('UTC').toString()
  const words = ['statement', '--merchant', String(merchant_id), '--mode', 'test', '--from', today, '--to', today]
  const exported = async () => (await installation.bandama(...words)) as { total_count: number }
  assert.equal((await exported()).total_count, merchant.paid)

  // Its machine is gone: nothing comes back, not even a refusal.
  await standby.freeze()
  for (let at = 0; at < 3; at += 1) await payAndLook(merchant)
  await standby.fall()
  for (let at = 0; at < 3; at += 1) await payAndLook(merchant)
  assert.equal((await exported()).total_count, merchant.paid)
  t.diagnostic(`${merchant.paid} payments, ${answered} reads of the standby for the first 12`)
  await service.stop()
})

/** A payment that succeeds, and at once what a merchant looks at: its event, the list of all, its statement. */
async function payAndLook(merchant: { service: Service; key: string; paid: number }): Promise<void> {
  const { service, key } = merchant
  const call = async (asked: Asked) => {
    const began = performance.now()
    const answer = await ask(service.address, asked)
    assert.ok(answer.status < 300, answer.text)
    assert.ok(performance.now() - began < SLOW_MS, `${asked.path} took ${performance.now() - began} ms`)
    return answer.json() as { id: string; status: string; data: { type: string }[]; total_count: number }
  }
  const { id } = await call(payment(key, { amount: 1_000, simulate: 'succeed' }))
  await waitFor(async () => (await call({ path: `/v1-payments/${id}`, key })).status === 'succeeded', {
    deadline_ms: 10_000,
    what: 'the payment to succeed',
  })
  merchant.paid += 1
  const today = Temporal.Now.plainDateISO('UTC').toString()
  const [events, list, statement] = await Promise.all([
    call({ path: `/x/events?subject_id=${id}`, key }),
    call({ path: '/x/events?limit=1', key }),
    call({ path: `/v1-statements?from=${today}&to=${today}`, key }),
  ])
  assert.equal(events.data[0]?.type, 'payment.succeeded')
  assert.equal(list.data[0]?.type, 'payment.succeeded')
  assert.equal(statement.total_count, merchant.paid)
}

/** How often rows were found there by their keys, where events and statements are. */
async function readsOf(standby: Server): Promise<number> {
  const [row] = await standby.ask<{ reads: string }>(
    `select sum(idx_scan) as reads from pg_stat_user_tables where relname in ('events', 'ledger_entries')`,
  )
  return Number(row!.reads)
}
