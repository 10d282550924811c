import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { newId } from '../../src/values/ids.ts'
import { RefusedCommand } from '../harness/command-line.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { newLink, newSession, openLink } from './payer.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Makes a merchant, and reads one of its lists at both doors: what the page shows, and what the command prints. */
async function newShop() {
  const { key, merchant_id } = await installation.newMerchant()
  const owner = await openBrowser(installation.db.sql, installation.services[0]!.address, {
    merchant_id,
    roles: ['owner', 'developer'],
  })
  const words = ['--merchant', String(merchant_id), '--mode', mode]
  const listed = (noun: string, ...more: string[]) => installation.bandama(noun, 'list', ...words, ...more)
  const shown = async (path: string) => (await owner.facts(`/console/${mode}/${merchant_id}${path}`)).body
  const refused = async (noun: string, ...more: string[]) => {
    const error = await listed(noun, ...more).then(
      () => assert.fail('the command was not refused'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof RefusedCommand)
    assert.equal(error.code, 2)
    return error.stderr
  }
  return { key, merchant_id, listed, shown, refused }
}

test('session list shows the rows of the page, by the same filters, page by page', async () => {
  const { key, merchant_id, listed, shown, refused } = await newShop()
  await newSession(installation, key)
  const closed = await newSession(installation, key)
  await installation.bandama('session', 'close', '--id', closed.id)
  const link = await newLink(installation, merchant_id, '--amount', '1500', '--reusable')
  await openLink(installation, link.path)
  for (const [query, options] of [
    ['', []],
    ['?status=closed', ['--status', 'closed']],
    [`?link=${link.link_id}&status=open`, ['--link', link.link_id, '--status', 'open']],
    ['?to=2020-01-01', ['--to', '2020-01-01']],
  ] as const) {
    const { sessions } = await shown(`/sessions${query}`)
    assert.deepEqual((await listed('session', ...options)).sessions, sessions, query)
  }
  assert.equal(((await listed('session', '--status', 'closed')).sessions as object[]).length, 1)
  const first = await listed('session', '--limit', '1')
  const { sessions: rest } = await listed('session', '--after', String(first.after))
  const { sessions: all } = await listed('session')
  assert.deepEqual([...(first.sessions as object[]), ...(rest as object[])], all)
  assert.equal(first.has_more, true)

  assert.match(await refused('session', '--from', '2026-02-30'), /--from must be a day/)
  assert.match(await refused('session', '--link', 'txn_1'), /--link must be its id/)
  assert.match(await refused('session', '--status', 'none'), /--status/)
  assert.match(await refused('session', '--after', 'none'), /--after/)
})

test('delivery list shows the rows of the page, by the same filters, page by page', async () => {
  const { merchant_id, listed, shown, refused } = await newShop()
  const { sql } = installation.db
  const [one, two] = [newId('whe', Date.now()), newId('whe', Date.now())]
  for (const id of [one, two])
    await sql`
      insert into endpoints (merchant_id, livemode, id, url, secret_sealed, status)
      values (${merchant_id}, ${livemode}, ${id}, 'https://shop.example/', '', 'disabled')`
  for (const [n, [to, status]] of (
    [
      [one, 'failed'],
      [one, 'held'],
      [two, 'delivered'],
    ] as const
  ).entries()) {
    const event = newId('evt', Date.now() + n)
    await sql`
      insert into events (merchant_id, livemode, id, type, subject_id, body)
      values (${merchant_id}, ${livemode}, ${event}, ${n === 0 ? 'payout.failed' : 'payment.expired'},
              ${newId('txn', n)}, '{}')`
    await sql`
      insert into deliveries (merchant_id, livemode, id, event_id, endpoint_id, status, next_attempt_at)
      values (${merchant_id}, ${livemode}, ${newId('dlv', Date.now())}, ${event}, ${to}, ${status}, null)`
  }
  for (const [query, options, count] of [
    ['', [], 3],
    [`?endpoint=${one}`, ['--endpoint', one], 2],
    ['?state=delivered&type=payment.expired', ['--state', 'delivered', '--type', 'payment.expired'], 1],
    ['?to=2020-01-01', ['--to', '2020-01-01'], 0],
  ] as const) {
    const { deliveries } = await shown(`/webhooks${query}`)
    assert.equal((deliveries as object[]).length, count, query)
    assert.deepEqual((await listed('delivery', ...options)).deliveries, deliveries, query)
  }
  const first = await listed('delivery', '--limit', '2')
  const { deliveries: rest } = await listed('delivery', '--after', String(first.after))
  const { deliveries: all } = await listed('delivery')
  assert.deepEqual([...(first.deliveries as object[]), ...(rest as object[])], all)
  assert.match(await refused('delivery', '--endpoint', 'one'), /--endpoint must be its id/)
})

test('request-log list shows the rows of the page, by the same filters, page by page', async () => {
  const { merchant_id, listed, shown, refused } = await newShop()
  const { sql } = installation.db
  const ids = Array.from({ length: 3 }, () => randomUUID())
  // Milliseconds apart, because the day before has no partition.
  const [{ newest } = { newest: new Date(0) }] = await sql<{ newest: Date }[]>`select clock_now() as newest`
  for (const [n, request_id] of ids.entries())
    await sql`
      insert into request_log
        (merchant_id, livemode, request_id, key_id, method, path, status, address, duration_ms, requested_at)
      values (${merchant_id}, ${livemode}, ${request_id}, ${n === 0 ? 'rare' : 'common'}, 'POST',
              ${n === 1 ? '/v1-payouts' : '/v1-payments'}, ${n === 2 ? 422 : 201}, '192.0.2.7', 12,
              ${new Date(newest.getTime() - n)})`
  const named = (rows: unknown) => (rows as { request_id: string }[]).map(({ request_id }) => request_id)
  for (const [query, options, expected] of [
    ['', [], ids],
    ['?status=4xx', ['--status', '4xx'], [ids[2]]],
    ['?key=rare', ['--key', 'rare'], [ids[0]]],
    ['?operation=POST+%2Fv1-payouts', ['--operation', 'POST /v1-payouts'], [ids[1]]],
    [`?request_id=${ids[1]}`, ['--request-id', ids[1]!], [ids[1]]],
  ] as const) {
    assert.deepEqual(named((await shown(`/requests${query}`)).requests), expected, query)
    assert.deepEqual(named((await listed('request-log', ...options)).requests), expected, query)
  }
  const first = await listed('request-log', '--limit', '2')
  const rest = await listed('request-log', '--after', String(first.after))
  assert.deepEqual([...named(first.requests), ...named(rest.requests)], ids)
  assert.match(await refused('request-log', '--operation', 'v1-payouts'), /--operation must be a method and a route/)
})
