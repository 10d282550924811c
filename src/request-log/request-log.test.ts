import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Registry } from 'prom-client'
import { openPool, openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { waitFor } from '../../tests/harness/wait-for.ts'
import { createClock } from '../platform/clock.ts'
import type { AnsweredRequest } from '../platform/http/request-context.ts'
import { createLog } from '../platform/log.ts'
import { openDatabase } from '../platform/postgres/database.ts'
import { createRequestLog } from './request-log.ts'

const log = createLog('silent', 'test')
const clock = createClock()

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

let merchants = 0
/** Makes a request of a merchant that only one test uses. */
function requestOf(merchant_id: number, more: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return {
    request_id: randomUUID(),
    caller: { merchant_id, livemode: false, key_id: 'k', scope: 'collect', merchant_active: true },
    method: 'POST',
    path: '/v1-payments',
    status: 201,
    error_code: null,
    subject_id: null,
    address: '192.0.2.10',
    duration_ms: 12,
    requested_at: clock.now(),
    ...more,
  }
}

const countOf = async (merchant_id: number) =>
  (
    await db.sql<{ calls: number }[]>`
    select count(*)::int as calls from request_log where merchant_id = ${merchant_id}`
  )[0]!.calls

function openRequestLog(sql = db.sql) {
  const registry = new Registry()
  const figure = async (line: string) => (await registry.metrics()).split('\n').includes(line)
  return { ...createRequestLog({ sql, log, registry }), figure }
}

test('a call is in the log a moment later, with all that its merchant needs to find it', async () => {
  const merchant_id = ++merchants
  const requests = openRequestLog()
  const subject_id = 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb'
  const one = requestOf(merchant_id, { status: 422, error_code: 'invalid_amount', subject_id, address: '2001:db8::5' })
  requests.record(one)
  await waitFor(async () => (await countOf(merchant_id)) === 1, { what: 'the row' })
  const [row] = await db.sql`
    select livemode, request_id, key_id, method, path, status, error_code, subject_id, host(address) as address,
           duration_ms, requested_at
      from request_log
     where merchant_id = ${merchant_id}`
  const { caller, ...asked } = one
  assert.deepEqual({ ...row }, { ...asked, livemode: caller!.livemode, key_id: caller!.key_id })
  await requests.close()
})

test('a call without a known key is counted and not stored', async () => {
  const requests = openRequestLog()
  requests.record(requestOf(1, { caller: null }))
  await requests.close()
  assert.ok(await requests.figure('bandama_request_log_without_caller_total 1'))
})

test('thousands of calls are all written in few transactions, and closing waits for the last', async () => {
  const merchant_id = ++merchants
  let transactions = 0
  const counted = openPool({ url: db.url, connections: 1, name: 'test counted' })
  const sql = new Proxy(counted, {
    get(of, name) {
      if (name === 'begin') transactions += 1
      return Reflect.get(of, name)
    },
  })
  const requests = openRequestLog(sql)
  for (let at = 0; at < 5_400; at += 1) requests.record(requestOf(merchant_id))
  await requests.close()
  await counted.end()
  assert.equal(await countOf(merchant_id), 5_400)
  assert.ok(transactions >= 1 && transactions <= 7, `${transactions} transactions`)
  requests.record(requestOf(merchant_id))
  assert.ok(await requests.figure('bandama_request_log_dropped_total{reason="closed"} 1'))
})

test('a failed write is repeated, and no call is stored twice', async () => {
  const merchant_id = ++merchants
  const requests = openRequestLog()
  const twice = requestOf(merchant_id)
  await db.sql`create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('failures') = 1 then raise exception 'out of order'; end if;
      return null;
    end $$`
  await db.sql`create sequence failures`
  await db.sql`create trigger fail_once after insert on request_log for each statement execute function fail_once()`
  try {
    requests.record(twice)
    await waitFor(async () => (await countOf(merchant_id)) === 1, { what: 'the row' })
    // As after a first attempt that was committed, but whose answer was lost.
    requests.record(twice)
    requests.record(requestOf(merchant_id))
    await waitFor(async () => (await countOf(merchant_id)) === 2, { what: 'the other row' })
    assert.ok(!(await requests.figure('bandama_request_log_dropped_total{reason="write_failed"} 1')))
  } finally {
    await db.sql`drop trigger fail_once on request_log`
    await requests.close()
  }
})

test('calls that cannot be written are counted, and the next ones are written', async () => {
  const merchant_id = ++merchants
  const requests = openRequestLog()
  // No partition accepts a call from ten years ago.
  requests.record(requestOf(merchant_id, { requested_at: new Date('2016-01-01T00:00:00Z') }))
  requests.record(requestOf(merchant_id))
  await waitFor(() => requests.figure('bandama_request_log_dropped_total{reason="write_failed"} 2'))
  requests.record(requestOf(merchant_id))
  await waitFor(async () => (await countOf(merchant_id)) === 1, { what: 'the row' })
  await requests.close()
})

test('while the database is unavailable calls wait up to a limit, further ones are counted, and recording stays fast', async () => {
  const merchant_id = ++merchants
  const away = openDatabase({ url: 'postgres://postgres@127.0.0.1:1/none', connections: 1, name: 'test away' })
  const requests = openRequestLog(away)
  const began = process.cpuUsage()
  for (let at = 0; at < 52_000; at += 1) requests.record(requestOf(merchant_id))
  assert.ok(process.cpuUsage(began).user < 2_000_000, 'two seconds of the processor')
  // Half a batch was being written already.
  assert.ok(await requests.figure('bandama_request_log_dropped_total{reason="too_many_waiting"} 1500'))
  const closed = performance.now()
  await requests.close()
  assert.ok(performance.now() - closed < 10_000, 'it is not waited for at the end')
  assert.ok(await requests.figure('bandama_request_log_dropped_total{reason="write_failed"} 50500'))
  await away.end({ timeout: 0 })
})
