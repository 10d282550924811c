import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { applyRetention } from '../../src/app/retention.ts'
import { expireSessions } from '../../src/checkout/expire-sessions.ts'
import { createSweepInstructions } from '../../src/operators/sending/sweep.ts'
import { expireRequests } from '../../src/payouts/decide-request.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { sweepDeliveries } from '../../src/webhooks/delivery/sweep.ts'
import { checkPayout, checkRequest } from '../contract/payout-answers.ts'
import { newSender, payout, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'

// A row that fails to be written must not stop a sweep. The other rows go on, however many rows fail, and the sweep tries the failed rows
// again.

let installation: Installation
before(async () => {
  // No worker runs, so only these tests sweep.
  installation = await openInstallation({ processes: [['--only', 'api']], own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

type Failed = { task: string; failed: number; examples: string[] }

/** The sweeps' log lines about rows that failed. */
let told: Failed[] = []
beforeEach(() => {
  told = []
})
const write = (line: string) => told.push(JSON.parse(line)) > 0
const log = createLog('error', 'test', { write } as unknown as NodeJS.WritableStream)

const deps = () => ({ sql: installation.db.sql, clock: createClock(), log })

/** Makes every write of this kind fail for rows of a merchant, until the function it returns is called. */
async function poison(table: string, act: 'update' | 'delete', { tenant }: Sender): Promise<() => Promise<void>> {
  const { sql } = installation.db
  await sql.unsafe(`
    create or replace function is_poisoned() returns trigger language plpgsql as $$
      begin raise exception 'a poisoned row'; end $$;
    create trigger aa_poisoned before ${act} on ${table} for each row
      when (old.merchant_id = ${tenant.merchant_id}) execute function is_poisoned()`)
  return async () => void (await sql.unsafe(`drop trigger aa_poisoned on ${table}`))
}

const newHeld = async (sender: Sender) => checkRequest(await sender.send(payout(100_001)), 202).id

test('requests that fail to expire delay no others, however many they are, and are tried again', async () => {
  const { sql } = installation.db
  const [bad, good] = [await newSender(installation), await newSender(installation)]
  const [one, other] = [await newHeld(bad), await newHeld(good)]
  // More rows than a sweep reads at a time, all older than the other merchant's row.
  await sql`update payout_requests set expires_at = clock_now() - interval '2 hours' where id = ${one}`
  await sql`update payout_requests set expires_at = clock_now() - interval '1 hour' where id = ${other}`
  await sql`
    insert into payout_requests (merchant_id, livemode, id, reason, cap, amount, currency, beneficiary_id, is_inline, name,
           msisdn, made_by, expires_at)
    select merchant_id, livemode, id || 'x' || n, reason, cap, amount, currency, beneficiary_id, is_inline, name, msisdn,
           made_by, expires_at
      from payout_requests
     cross join generate_series(1, 450) as n
     where id = ${one}`
  const heal = await poison('payout_requests', 'update', bad)
  assert.equal(await expireRequests(deps()), 1)
  checkRequest(await good.read(other), 200, { status: 'expired' })
  checkRequest(await bad.read(one), 200, { status: 'pending_approval' })
  assert.deepEqual(
    told.map(({ task, failed }) => ({ task, failed })),
    [{ task: 'expiry of payout requests', failed: 451 }],
  )
  await heal()
  assert.equal(await expireRequests(deps()), 451)
  checkRequest(await bad.read(one), 200, { status: 'expired' })
})

test('a window whose sum exceeds the exact numbers of JavaScript does not stop requests from expiring', async () => {
  const { sql } = installation.db
  const [bad, good] = [await newSender(installation), await newSender(installation)]
  const requests = [await newHeld(bad), await newHeld(good)]
  await sql`update payout_cap_totals set used = 9223372036854775000 where merchant_id = ${bad.tenant.merchant_id}`
  await sql`update payout_requests set expires_at = clock_now() where id = any(${requests})`
  assert.equal(await expireRequests(deps()), 2)
  assert.deepEqual(told, [])
})

async function newSession({ merchant }: Sender): Promise<string> {
  const answer = await installation.ask({ path: '/v1-checkout', key: merchant.key, body: { amount: 100 } })
  assert.equal(answer.status, 201, answer.text)
  return (answer.json() as { id: string }).id
}

async function statusOf(table: string, id: string): Promise<string> {
  const { sql } = installation.db
  const [row] = await sql<{ status: string }[]>`select status from ${sql(table)} where id = ${id}`
  return row!.status
}

test('a session that fails to expire delays no other session of any merchant, and is tried again', async () => {
  const { sql } = installation.db
  const [bad, good] = [await newSender(installation), await newSender(installation)]
  const [one, others] = [await newSession(bad), [await newSession(good), await newSession(good)]]
  await sql`update checkout_sessions set created_at = created_at - interval '1 day' where id = ${one}`
  await installation.db.moveClock('31 minutes')
  // More rows than one transaction takes.
  await sql`
    insert into checkout_sessions (merchant_id, livemode, id, amount, currency, expires_at)
    select merchant_id, livemode, id || 'x' || n, amount, currency, expires_at - interval '1 hour'
      from checkout_sessions
     cross join generate_series(1, 510) as n
     where id = ${one}`
  const heal = await poison('checkout_sessions', 'update', bad)
  await expireSessions(deps())
  for (const id of others) assert.equal(await statusOf('checkout_sessions', id), 'expired')
  assert.equal(await statusOf('checkout_sessions', one), 'open')
  assert.deepEqual(
    told.map(({ task, failed }) => ({ task, failed })),
    [{ task: 'expiry of checkout sessions', failed: 511 }],
  )
  await heal()
  await expireSessions(deps())
  assert.equal(await statusOf('checkout_sessions', one), 'expired')
  await installation.db.moveClock('0')
})

test('an instruction that fails to be claimed delays no other, and is tried again', async () => {
  const { sql } = installation.db
  const [bad, good] = [await newSender(installation), await newSender(installation)]
  const ids = await Promise.all(
    [bad, good, good].map(async (sender) => checkPayout(await sender.send(payout(100)), 201).id),
  )
  await sql`update instructions set next_check_at = clock_now() - interval '1 hour' where subject_id = ${ids[0]!}`
  await sql`update instructions set next_check_at = clock_now() where subject_id = any(${ids.slice(1)})`
  const due = async () => {
    const rows = await sql<{ subject_id: string }[]>`
      select subject_id from instructions where subject_id = any(${ids}) and next_check_at <= clock_now()`
    return rows.map(({ subject_id }) => subject_id)
  }
  const record = () => Promise.reject(new Error('None of them is too old.'))
  const sweep = createSweepInstructions({ ...deps(), record, expiry_hours: 24 })
  const heal = await poison('instructions', 'update', bad)
  assert.equal(await sweep(), 2)
  assert.deepEqual(await due(), [ids[0]])
  assert.deepEqual(
    told.map(({ task, examples }) => ({ task, examples })),
    [{ task: 'sweep of instructions', examples: [ids[0]] }],
  )
  await heal()
  assert.equal(await sweep(), 1)
  assert.deepEqual(await due(), [])
})

test('a delivery that fails to be held or released delays no other endpoint’s, and is tried again', async () => {
  const { db, bandama } = installation
  const { sql } = db
  const senders = [await newSender(installation), await newSender(installation)]
  for (const { words } of senders) {
    const { endpoint_id } = await bandama('endpoint', 'create', ...words, '--url', 'http://127.0.0.1:9/')
    await bandama('endpoint', 'test', '--id', String(endpoint_id))
  }
  const states = () =>
    Promise.all(
      senders.map(async ({ tenant }) => {
        const rows = await sql<{ status: string }[]>`
          select distinct status from deliveries where merchant_id = ${tenant.merchant_id}`
        return rows.map(({ status }) => status).join()
      }),
    )
  assert.deepEqual(await states(), ['pending', 'pending'])
  for (const [endpointIs, from, to] of [
    ['disabled', 'pending', 'held'],
    ['enabled', 'held', 'pending'],
  ] as const) {
    await sql`update endpoints set status = ${endpointIs} where merchant_id = any(${senders.map(({ tenant }) => tenant.merchant_id)})`
    const heal = await poison('deliveries', 'update', senders[0]!)
    told = []
    await sweepDeliveries(sql, log)
    assert.deepEqual(await states(), [from, to])
    assert.deepEqual(
      told.map(({ failed }) => failed),
      [1],
    )
    await heal()
    await sweepDeliveries(sql, log)
    assert.deepEqual(await states(), [to, to])
  }
})

test('a stored answer that fails to be deleted delays neither those behind it nor any other table', async () => {
  const { sql } = installation.db
  const [bad, good] = [await newSender(installation), await newSender(installation)]
  const FILLER = 20_000
  for (const { tenant } of [bad, good]) {
    // Enough rows to lie in several ranges of the table.
    await sql`
      insert into idempotency_keys (merchant_id, livemode, key, fingerprint, status, body, created_at)
      select ${tenant.merchant_id}, false, 'long-forgotten-' || n, '', 201, '{}', clock_now() - interval '40 days'
        from generate_series(1, ${FILLER}::int) as n`
  }
  checkPayout(await good.send(payout(100)), 201)
  await sql`update payout_cap_usage set used_at = clock_now() - interval '9 days' where merchant_id = ${good.tenant.merchant_id}`
  const left = async ({ tenant }: Sender, table: string) => {
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from ${sql(table)} where merchant_id = ${tenant.merchant_id}`
    return row!.rows
  }
  const heal = await poison('idempotency_keys', 'delete', bad)
  await applyRetention(sql, readConfig({ DEMO: 'off' }), log)
  // A range that contains a row of both fails as a whole.
  assert.ok((await left(good, 'idempotency_keys')) < FILLER / 2)
  assert.equal(await left(bad, 'idempotency_keys'), FILLER)
  assert.equal(await left(good, 'payout_cap_usage'), 0, 'the table after it')
  assert.deepEqual(
    told.map(({ task, examples }) => ({ task, examples })),
    [{ task: 'retention', examples: ['idempotency_keys'] }],
  )
  await heal()
  await applyRetention(sql, readConfig({ DEMO: 'off' }), log)
  assert.equal(await left(bad, 'idempotency_keys'), 0)
})
