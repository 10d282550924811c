import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { readNewestPage } from '../../src/platform/postgres/row-pages.ts'
import { databaseSettings } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { program } from '../harness/program.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { refused } from './commands.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { inline, newSender, PATIENCE, payout, type Sender } from './sender.ts'

const execute = promisify(execFile)

type Row = Record<string, unknown> & { id: string }
type Answer = Record<string, unknown> & { has_more: boolean; after: string | null }

let installation: Installation
let sender: Sender
let other: Sender
let figures_port: number
const payments: string[] = []

before(async () => {
  figures_port = await freePort()
  installation = await openInstallation({ env: { METRICS_PORT: String(figures_port) } })
  sender = await newSender(installation)
  other = await newSender(installation)
  for (let at = 0; at < 5; at += 1) {
    const body = { amount: 1_000 + at, merchant_reference: `ORDER-${at}`, counterparty: { msisdn: newPayer() } }
    payments.push(checkPayment(await installation.pay(sender.merchant.key, body), 201).id)
  }
  const declined = { amount: 500, counterparty: { msisdn: `${newPayer().slice(0, 6)}0002` } }
  const { id } = checkPayment(await installation.pay(other.merchant.key, declined), 201)
  payments.push(id)
  await waitFor(async () => (await show(id)).status === 'failed', PATIENCE)
  await waitFor(async () => (await show(payments[4]!)).status === 'succeeded', PATIENCE)
})
after(() => installation[Symbol.asyncDispose]())

const show = (id: string) => installation.bandama('payment', 'show', '--id', id)

async function rowsOf(name: string, ...words: string[]): Promise<Row[]> {
  return (await installation.bandama(...words))[name] as Row[]
}

/** Returns the output that a person sees. */
async function seen(...words: string[]): Promise<string> {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY: installation.services[0]!.secret_key }
  return (await execute(program, words, { env })).stdout
}

test('payments are listed newest first, page by page, of all merchants or one, in any state or one', async () => {
  const newest = payments.toReversed()
  const all = await rowsOf('payments', 'payment', 'list')
  assert.deepEqual(
    all.map(({ id }) => id),
    newest,
  )
  const paged: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const words: string[] = after === '' ? [] : ['--after', after]
    const page = (await installation.bandama('payment', 'list', '--limit', '4', ...words)) as Answer
    paged.push(...(page.payments as Row[]).map(({ id }) => id))
    assert.equal(page.has_more, page.after !== null)
    after = page.after
  }
  assert.deepEqual(paged, newest)
  const mine = await rowsOf('payments', 'payment', 'list', ...sender.words)
  assert.deepEqual(
    mine.map(({ id }) => id),
    newest.slice(1),
  )
  const failed = await rowsOf('payments', 'payment', 'list', '--status', 'failed')
  assert.deepEqual(
    failed.map(({ id, failure_code }) => ({ id, failure_code })),
    [{ id: payments[5], failure_code: 'payer_declined' }],
  )
  const live = ['--merchant', String(sender.tenant.merchant_id), '--mode', otherMode]
  assert.deepEqual(await rowsOf('payments', 'payment', 'list', ...live), [])
})

test('a page of one merchant’s payments reads a limited number of rows, and the next continues from there', async () => {
  const { sql } = installation.db
  const of = { table: 'payments', columns: ['id', 'merchant_id', 'livemode'], prefix: 'txn' } as const
  const wanted = { tenant: other.tenant, status: null, limit: 10 }
  const found: string[] = []
  let pages = 0
  for (let after: string | null = null; pages === 0 || after !== null; pages += 1) {
    const page: { rows: { id: string }[]; after: string | null } = await readNewestPage(
      sql,
      of,
      { ...wanted, after },
      2,
    )
    found.push(...page.rows.map(({ id }) => id))
    after = page.after
  }
  assert.deepEqual(found, [payments[5]])
  assert.ok(pages >= 3, 'two rows at a time of six')
})

test('a payment is shown with its history, and with the last four digits of its payer’s number', async () => {
  const shown = await show(payments[5]!)
  assert.match(String(shown.payer), /^\+225\*{6}0002$/)
  const moves = (shown.moves as Row[]).map(({ from_status, to_status }) => `${from_status} ${to_status}`)
  assert.deepEqual(moves, ['created pending', 'pending failed'])
  assert.equal((shown.instruction as Row).state, 'refused')
  assert.doesNotMatch(JSON.stringify(shown), /\+225\d/)
  await refused(show('txn_none'), /There is no payment txn_none/)
})

test('a payment is found by the reference of its merchant', async () => {
  const found = await rowsOf('payments', 'payment', 'find', '--reference', 'ORDER-3')
  assert.deepEqual(
    found.map(({ id }) => id),
    [payments[3]],
  )
  const named = await rowsOf('payments', 'payment', 'find', '--reference', 'ORDER-3', ...sender.words)
  assert.deepEqual(named, found)
  assert.deepEqual(await rowsOf('payments', 'payment', 'find', '--reference', 'ORDER-3', ...other.words), [])
  assert.equal(await seen('payment', 'find', '--reference', 'ORDER-99'), 'No payment has this reference.\n')
})

test('requests that wait for a decision are listed oldest first, and leave the list once decided', async () => {
  const held = [
    await sender.send(payout(150_000)),
    await sender.send(payout(160_000)),
    await other.send(payout(170_000)),
  ]
  const ids = held.map(({ status, json }) => {
    assert.equal(status, 202)
    return (json() as { id: string }).id
  })
  const waiting = await rowsOf('requests', 'request', 'list')
  assert.deepEqual(
    waiting.map(({ id }) => id),
    ids,
  )
  assert.doesNotMatch(JSON.stringify(waiting), /\+225\d/)
  const second = await rowsOf('requests', 'request', 'list', '--limit', '1', '--after', ids[0]!)
  assert.deepEqual(
    second.map(({ id }) => id),
    [ids[1]],
  )
  await installation.bandama('request', 'reject', '--id', ids[0]!)
  assert.equal((await rowsOf('requests', 'request', 'list', ...sender.words)).length, 1)
  const any = await rowsOf('requests', 'request', 'list', '--status', 'any')
  assert.deepEqual(
    any.map(({ id, status }) => `${id} ${status}`),
    [`${ids[2]} pending_approval`, `${ids[1]} pending_approval`, `${ids[0]} rejected`],
  )

  const lines = Array.from({ length: 6 }, () => ({ amount: 90_000, beneficiary: inline() }))
  const batch = checkBatch(await other.prepare({ lines }), 201)
  assert.equal(batch.status, 'en_attente_validation')
  const batches = await rowsOf('batches', 'batch', 'list')
  assert.deepEqual(
    batches.map(({ id, total_amount, line_count }) => ({ id, total_amount, line_count })),
    [{ id: batch.id, total_amount: 540_000, line_count: 6 }],
  )
  assert.match(await seen('batch', 'list'), /^id +merchant +status +total +lines +created \(UTC\)\n.* 540 000 +6 /)
  await installation.bandama('batch', 'reject', '--id', batch.id)
  assert.deepEqual(await rowsOf('batches', 'batch', 'list'), [])
  assert.equal((await rowsOf('batches', 'batch', 'list', '--status', 'annule')).length, 1)
})

test('payouts are listed and shown without their recipients’ numbers', async () => {
  const { id } = checkPayout(await sender.send({ ...payout(2_500), reference: 'RENT' }), 201)
  await sender.untilPayout(id, 'succeeded')
  const listed = await rowsOf('payouts', 'payout', 'list', ...sender.words)
  assert.deepEqual(
    listed.map((row) => [row.id, row.reference]),
    [[id, 'RENT']],
  )
  const shown = await installation.bandama('payout', 'show', '--id', id)
  assert.equal((shown.moves as Row[]).at(-1)!.to_status, 'succeeded')
  assert.doesNotMatch(JSON.stringify([listed, shown]), /\+225\d/)
  await refused(installation.bandama('payout', 'show', '--id', payments[0]!), /There is no payout/)
})

test('merchants, keys, endpoints, events and calls are found', async () => {
  const merchants = (await installation.bandama('merchant', 'list')).merchants as {
    merchant_id: number
    fees: string[]
  }[]
  assert.deepEqual(
    merchants.map(({ merchant_id }) => merchant_id),
    [sender.tenant.merchant_id, other.tenant.merchant_id],
  )
  const { key, key_id } = await sender.merchant.newKey(mode, 'collect', ['192.0.2.0/24'])
  assert.equal((await installation.ask({ path: '/x/events', key })).status, 401)
  const keys = () => rowsOf('keys', 'key', 'list', ...sender.words)
  const mine = await waitFor(
    async () => (await keys()).find((row) => row.key_id === key_id && row.last_refused_address !== null),
    PATIENCE,
  )
  assert.deepEqual(
    [mine.scope, mine.livemode, mine.revoked_at, mine.last_refused_address],
    ['collect', false, null, '127.0.0.1'],
  )
  assert.ok(!JSON.stringify(await keys()).includes(key.slice(-60)))
  const everybody = await rowsOf('keys', 'key', 'list', '--limit', '1')
  const next = await rowsOf('keys', 'key', 'list', '--limit', '200', '--after', String(everybody[0]!.key_id))
  assert.equal(new Set([...everybody, ...next].map((row) => row.key_id)).size, 5)

  const url = 'http://127.0.0.1:9/webhooks'
  const { endpoint_id } = await installation.bandama('endpoint', 'create', ...sender.words, '--url', url)
  const [endpoint] = await rowsOf('endpoints', 'endpoint', 'list', ...sender.words)
  assert.deepEqual([endpoint!.endpoint_id, endpoint!.url, endpoint!.status], [endpoint_id, url, 'enabled'])
  assert.doesNotMatch(JSON.stringify(endpoint), /whsec|secret/)
  const [event] = await rowsOf('events', 'event', 'list', ...sender.words, '--type', 'endpoint.test')
  assert.deepEqual([event!.about, event!.told], [endpoint_id, '1 pending'])

  const answer = await installation.ask({ path: `/v1-payments/${payments[0]}`, key: sender.merchant.key })
  const id = String(answer.headers['service-request-id'])
  const call = await waitFor(
    () => installation.bandama('request-log', 'show', '--id', id).catch(() => false as const),
    PATIENCE,
  )
  assert.deepEqual([call.method, call.path, call.status], ['GET', `/v1-payments/${payments[0]}`, 200])
  assert.deepEqual(await installation.bandama('request-log', 'show', '--id', id, ...sender.words), call)
  const show = (...words: string[]) => installation.bandama('request-log', 'show', ...words)
  await refused(show('--id', id, ...other.words), /has no such call/)
  await refused(show('--id', randomUUID()), /has no such call/)
  await refused(show('--id', 'x'), /Service-Request-Id/, 2)
})

test('a list refuses invalid options', async () => {
  const list = (...words: string[]) => installation.bandama('payment', 'list', ...words)
  await refused(list('--limit', '0'), /--limit must be a whole number from 1 to 200/, 2)
  await refused(list('--limit', '201'), /from 1 to 200/, 2)
  await refused(list('--after', 'evt_1'), /--after must be the id of the last row/, 2)
  await refused(list('--merchant', '1'), /Give --merchant and --mode together/, 2)
  await refused(list('--status', 'succeded'), /Did you mean succeeded\?/, 2)
})

test('a list is a table as wide as a terminal, with times in UTC and amounts in groups of three', async () => {
  const text = await seen('payment', 'list', '--limit', '2')
  const [head, first, ...rest] = text.split('\n')
  assert.match(head!, /^id +merchant +status +amount +created \(UTC\) +reference$/)
  assert.match(first!, /^txn_\w+ +\d+ test +failed +500 +\d{4}-\d\d-\d\d \d\d:\d\d +-$/)
  assert.match(rest[0]!, / 1 004 {2}\d{4}/)
  assert.equal(rest[2], `There are more: repeat the command with --after ${payments[4]}`)
  assert.ok(text.split('\n').every((line) => line.length <= 100))
  assert.equal(await seen('settlement', 'list'), 'No settlement waits to be validated or paid.\n')
})

test('metrics show how long requests and batches have waited for a person', async () => {
  const seconds = async (kind: string) => {
    const line = (await (await fetch(`http://127.0.0.1:${figures_port}/metrics`)).text()).match(
      new RegExp(`bandama_waiting_for_people_seconds\\{kind="${kind}"\\} ([\\d.]+)`),
    )
    return Number(line?.[1] ?? 0)
  }
  // The metrics are read twice a minute, so the last ones may still count a batch that was decided since.
  await waitFor(async () => (await seconds('requests')) > 0 && (await seconds('batches')) === 0, {
    deadline_ms: 70_000,
    what: 'the figures of a request that waits, and of no batch',
  })
})
