import assert from 'node:assert/strict'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { request } from 'undici'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { SETTINGS } from '../harness/installation.ts'
import { addEndpoint, newMerchant } from '../harness/merchant.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Columns that may hold a number. A stored answer and an event show a payout's number to its own merchant. */
const NUMBERS_BELONG = new Set([
  'payments.msisdn',
  'instructions.msisdn',
  'payouts.msisdn',
  'payout_requests.msisdn',
  'payout_batch_lines.msisdn',
  'beneficiaries.msisdn',
  'idempotency_keys.body',
  'events.body',
])

const ROUNDS = 60

test('no log, refusal or table holds a key, a secret or a number that does not belong there', async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  // Some fail and quote back what they were sent, as web servers do.
  await using receiver = await startReceiver((received, rank) =>
    rank % 3 === 0 ? { status: 500, body: `cannot read ${received.body.toString('utf8')}` } : {},
  )
  const SECRET_KEY = randomBytes(32).toString('base64url')
  const { collect, payout, webhook_secret } = await newKeys(db, SECRET_KEY, receiver.url)
  const unknownKey = `bdm_sk_test_${randomBytes(32).toString('base64url')}`
  const numbers = Array.from({ length: 20 }, () => `07${randomInt(10_000_000, 99_999_999)}`)
  const kept: string[] = []
  await using service = await startService({
    url: db.url,
    env: { ...SETTINGS, SECRET_KEY, LOG_LEVEL: 'trace' },
    onOutput: (text) => void kept.push(text),
  })
  const refusals: string[] = []
  const statuses = new Set<number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const keys = { collect: collect.key, payout, unknownKey }
    await Promise.all(
      calls(seed, keys, numbers).map(async ({ path, ...call }) => {
        const { statusCode, body } = await request(`${service.address}${path}`, call)
        const text = await body.text()
        statuses.add(statusCode)
        if (statusCode >= 400) refusals.push(text)
      }),
    )
    if (round % 20 === 10) await endConnections(db)
  }
  await waitFor(() => receiver.requests.length > ROUNDS, { what: 'events to be told' })
  await service.stop()
  for (const status of [200, 201, 400, 401, 403, 404, 409, 422]) {
    assert.ok(statuses.has(status), `${status} among ${[...statuses]}`)
  }

  const secrets = [SECRET_KEY, collect.key, payout, unknownKey, webhook_secret]
  const printed = kept.join('')
  assert.match(printed, /"level":"(error|warn)"/, 'faults were written about')
  const found = [
    ...search('the log', printed, [...secrets, 'Bearer '], numbers),
    ...search('a refusal', refusals.join('\n'), secrets, numbers),
    ...(await searchTables(db, secrets, numbers)),
  ]
  assert.deepEqual(found, [])
  t.diagnostic(
    `searched ${printed.length} characters of log and ${refusals.length} refusals; ${[...statuses]} were answered`,
  )
})

/** A merchant that collects and pays out. */
async function newKeys({ sql }: TestDatabase, secret_key: string, receiver: string) {
  const collect = await newMerchant(sql, { commission: 100, funds: 10_000_000 })
  const webhook_secret = await addEndpoint(sql, collect, { url: receiver, secret_key })
  return { collect, webhook_secret, payout: (await collect.newKey('test', 'payout')).key }
}

type Keys = { collect: string; payout: string; unknownKey: string }

type Call = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string }

/** One call of each kind with a key or a number in its right place, and one in a wrong place. */
function calls(seed: Seed, { collect, payout, unknownKey }: Keys, numbers: readonly string[]): Call[] {
  const number = seed.pick(numbers)
  const spaced = number.replaceAll(/(..)(?=.)/g, '$1 ')
  const post = (path: string, key: string, body: object | string, idempotency_key: string = randomUUID()): Call => ({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotency_key, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const get = (path: string, authorization: string): Call => ({ method: 'GET', path, headers: { authorization } })
  const payer = { counterparty: { msisdn: seed.pick([number, spaced, `+225${number}`, `00225${number}`]) } }
  const twice = randomUUID()
  return [
    post('/v1-payments', collect, { amount: 100, ...payer }, twice),
    post('/v1-payments', collect, { amount: 200, ...payer }, twice),
    post('/v1-payments', collect, { amount: 100, ...payer, merchant_reference: 'the same' }),
    post('/v1-payments', collect, { amount: number, ...payer }),
    post('/v1-payments', collect, { amount: 100, counterparty: { msisdn: `${number}${number}` } }),
    post('/v1-payments', collect, { amount: 100, operator: number }),
    post('/v1-payments', collect, `{"counterparty":{"msisdn":"${number}"},"key":"${collect}",`),
    post('/v1-payments', payout, { amount: 100, ...payer }),
    post('/v1-payments', unknownKey, { amount: 100, ...payer }),
    post('/v1-payouts', payout, { amount: 100, beneficiary: { msisdn: number, name: 'Awa Kone' } }),
    post('/v1-payouts', payout, { amount: 100, beneficiary: { msisdn: `${number}0`, name: 'Awa Kone' } }),
    post('/v1-beneficiaries', payout, { msisdn: seed.pick(numbers), name: 'Awa Kone' }),
    get(`/v1-payments/${number}`, `Bearer ${collect}`),
    get(`/v1-payments/%2B225${number}`, `Bearer ${collect}`),
    get(`/v1-payments/txn_${number}`, `Bearer ${collect}`),
    get(`/v1-payments/${collect}`, `Bearer ${collect}`),
    get(`/nowhere/${number}?key=${collect}&number=%2B225${number}`, `Bearer ${collect}`),
    get(`/v1-beneficiaries?starting_after=${payout}&limit=${number}`, `Bearer ${payout}`),
    get('/v1-beneficiaries', `Bearer ${payout}`),
    get('/v1-payments/txn_none', `Bearer ${collect} ${number}`),
    get('/v1-payments/txn_none', `Basic ${Buffer.from(collect).toString('base64')}`),
  ]
}

async function endConnections(db: TestDatabase): Promise<void> {
  await db.sql`
    select pg_terminate_backend(pid)
      from pg_stat_activity
     where datname = current_database() and application_name like 'bandama %'`
}

/** The spellings in which a secret or a number could appear. */
function writings(text: string): string[] {
  const encoded = Buffer.from(text).toString('base64').replace(/=+$/, '')
  return [text, encoded, encodeURIComponent(text), Buffer.from(text).toString('hex')]
}

/** The place of a finding, with the text before it. */
function search(where: string, text: string, secrets: readonly string[], numbers: readonly string[]): string[] {
  const wanted = [
    ...secrets.flatMap((secret) => writings(secret)),
    ...numbers.flatMap((number) => [
      ...writings(number),
      ...writings(`+225${number}`),
      number.replaceAll(/(..)(?=.)/g, '$1 '),
    ]),
  ]
  return [...new Set(wanted)].flatMap((needle) => {
    const at = text.indexOf(needle)
    return at === -1 ? [] : [`${where}: ${text.slice(Math.max(0, at - 200), at)}…`]
  })
}

/** Every column of every table. */
async function searchTables(
  db: TestDatabase,
  secrets: readonly string[],
  numbers: readonly string[],
): Promise<string[]> {
  const columns = await db.sql<{ schema: string; table: string; column: string }[]>`
    select c.table_schema as schema, c.table_name as table, c.column_name as column
      from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
     where t.table_type = 'BASE TABLE' and c.table_schema = 'public'
     order by 1, 2, 3`
  assert.ok(columns.some(({ table, column }) => table === 'delivery_attempts' && column === 'response_excerpt'))
  const found: string[] = []
  for (const { schema, table, column } of columns) {
    const rows = await db.sql<{ text: string }[]>`
      select ${db.sql(column)}::text as text from ${db.sql(`${schema}.${table}`)} where ${db.sql(column)} is not null`
    const text = rows.map((row) => row.text).join('\n')
    const name = `${table}.${column}`
    found.push(...search(name, text, secrets, NUMBERS_BELONG.has(name) ? [] : numbers))
  }
  return found
}
