import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { type Asked, ask } from '../contract/ask.ts'
import { installOn, payment } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { cannotStartServers, type Server, startPair } from '../harness/postgres-servers.ts'
import { waitFor } from '../harness/wait-for.ts'

test('the service reads events and statements from a standby, and from the primary while the standby is away', {
  skip: cannotStartServers,
  timeout: 110_000,
}, async () => {
  await using pair = await startPair({ synchronous: false })
  const { primary, standby } = pair
  // The reader on the standby needs no special rights.
  const url = primary.url.replace('postgres@', 'clerk@')
  await primary.ask('create role clerk login; grant create on schema public to clerk')
  const installation = await installOn(url, { DATABASE_READ_URL: standby.url.replace('postgres@', 'clerk@') })
  await using service = await installation.start()
  const sql = openDatabase({ url, connections: 2, name: 'test' })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const { key, merchant_id } = await newMerchant(sql, { commission: 100 })
  const today = Temporal.Now.plainDateISO('UTC').toString()

  const read = async (asked: Asked) => {
    const answer = await ask(service.address, { key, ...asked })
    assert.ok(answer.status < 300, answer.text)
    return answer.json() as { id: string; data: { type: string }[]; total_count: number }
  }
  /** Makes a payment, and reads the merchant's events and statement until they show it. */
  async function payAndLook(paid: number): Promise<void> {
    const { id } = await read(payment(key, { amount: 1_000, simulate: 'succeed' }))
    const isShown = async () => {
      const events = await read({ path: `/x/events?subject_id=${id}` })
      const statement = await read({ path: `/v1-statements?from=${today}&to=9999-12-31` })
      return events.data[0]?.type === 'payment.succeeded' && statement.total_count === paid
    }
    await waitFor(isShown, { what: 'the payment to be shown' })
  }
  const exported = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bandama-statement-'))
    const period = ['--mode', 'test', '--from', today, '--to', '9999-12-31']
    const words = ['--merchant', String(merchant_id), ...period, '--out', join(folder, 'statement.json')]
    const { total_count } = (await installation.bandama('statement', ...words)) as { total_count: number }
    await rm(folder, { recursive: true })
    return total_count
  }

  for (let paid = 1; paid <= 6; paid += 1) await payAndLook(paid)
  await waitFor(async () => (await readsOf(standby)) >= 12, {
    what: 'the standby to have answered',
  })
  assert.equal(await exported(), 6)
  assert.doesNotMatch(service.output(), /replica: read failed/)

  await standby.fall()
  for (let paid = 7; paid <= 9; paid += 1) await payAndLook(paid)
  assert.equal(await exported(), 9)
  assert.match(service.output(), /replica: read failed, the primary answers for now/)
  await service.stop()
})

/** The number of index reads on the standby in the tables of events and statements. */
async function readsOf(standby: Server): Promise<number> {
  const [row] = await standby.ask<{ reads: string }>(
    `select sum(idx_scan) as reads from pg_stat_user_tables where relname in ('events', 'ledger_entries')`,
  )
  return Number(row!.reads)
}
