import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { askAct } from '../../src/acts/perform.ts'
import { heldChecks } from '../../src/app/audit/held-checks.ts'
import { ledgerChecks } from '../../src/app/audit/ledger-checks.ts'
import { post } from '../../src/ledger/post.ts'
import type { Leg, Operation } from '../../src/ledger/postings.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { openAccount } from '../../src/reconciliation/open-account.ts'
import { isCitus } from '../harness/citus.ts'
import { createDatabaseBefore } from '../harness/example-migrations.ts'

// Books by operator and bank, brought to books by external account.

const migrations = new URL('../../migrations/', import.meta.url)
const skip = isCitus && 'a cluster begins with the whole schema'
const [LIVE, TEST] = [true, false]

type Order = { id: string; connector: string | null; operator: string; amount: number; livemode?: boolean }

const newMerchant = async (sql: Sql) =>
  (await sql<{ merchant_id: number }[]>`insert into merchants (name) values ('A shop') returning merchant_id`)[0]!
    .merchant_id

/** Books as the code before this migration did. */
function book(sql: Sql, merchant_id: number, subject_id: string, operation: Operation, legs: Leg[], livemode = LIVE) {
  return sql.begin((tx) => post(tx, [{ merchant_id, livemode, subject_id, operation, legs }]))
}

async function collect(sql: Sql, merchant_id: number, { id, connector, operator, amount, livemode = LIVE }: Order) {
  await sql`
    insert into instructions (merchant_id, livemode, subject_id, direction, operator, connector, amount, currency, state, reference)
    values (${merchant_id}, ${livemode}, ${id}, 'collect', ${operator}, ${connector}, ${amount}, 'XOF', 'confirmed', ${randomUUID()})`
  const legs = [
    { account: `operator:${operator}`, amount: -amount },
    { account: 'available', amount: amount - 1 },
    { account: 'fees', amount: 1 },
  ]
  await book(sql, merchant_id, id, 'collection_confirmed', legs, livemode)
}

const connect = (sql: Sql, name: string) => sql`
  insert into connectors (name, type, livemode, callback_token_sealed, created_by, changed_by)
  values (${name}, 'pawapay', true, ''::bytea, 'a', 'a')`

const balancesOf = async (sql: Sql, merchant_id: number, livemode: boolean) =>
  Object.fromEntries(
    (
      await sql<{ account: string; balance: number }[]>`
        select account, balance from accounts
         where merchant_id = ${merchant_id} and livemode = ${livemode} and balance <> 0 order by account`
    ).map(({ account, balance }) => [account, balance]),
  )

const entries = (sql: Sql) => sql`
  select merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after, created_at
    from ledger_entries
   where operation <> 'held_moved' order by merchant_id, livemode, account, sequence`

test('each franc goes once to the wallet of the connector that moved it, and no entry and no balance of a merchant changes', {
  skip,
}, async () => {
  await using db = await createDatabaseBefore('0082_', migrations)
  const sql = db.open()
  // One connector has the money of two operators, and one operator has money at two connectors.
  for (const name of ['paw', 'mtn-direct']) await connect(sql, name)
  await sql`
    insert into routes (merchant_id, livemode, operator, direction, connectors, changed_by)
    values (0, true, 'mtn_ci', 'collect', '{mtn-direct,paw}', 'a')`
  const [shop, other, idle] = [await newMerchant(sql), await newMerchant(sql), await newMerchant(sql)]
  await collect(sql, shop, { id: 'txn_1', connector: 'paw', operator: 'orange_ci', amount: 10_000 })
  await collect(sql, shop, { id: 'txn_2', connector: 'paw', operator: 'mtn_ci', amount: 5_000 })
  await collect(sql, shop, { id: 'txn_3', connector: 'mtn-direct', operator: 'mtn_ci', amount: 7_000 })
  await collect(sql, shop, { id: 'txn_4', connector: null, operator: 'mtn_ci', amount: 900, livemode: TEST })
  await collect(sql, other, { id: 'txn_5', connector: 'paw', operator: 'mtn_ci', amount: 400 })
  // A route of test mode leads elsewhere, and this order still ended by a scenario.
  await sql`
    insert into connectors (name, type, livemode, callback_token_sealed, created_by, changed_by)
    values ('sandbox', 'pawapay', false, ''::bytea, 'a', 'a')`
  await sql`
    insert into routes (merchant_id, livemode, operator, direction, connectors, changed_by)
    values (0, false, 'mtn_ci', 'collect', '{sandbox}', 'a')`
  // The anomaly of an order was returned by hand.
  await sql`
    insert into anomalies (merchant_id, livemode, subject_id, kind, fact, id, operator, evidence)
    values (${shop}, true, 'txn_1', 'amount_differs', '1 XOF', 'ano_1', 'orange_ci', '{}')`
  await book(sql, shop, 'ano_1', 'returned_by_hand', [
    { account: 'operator:orange_ci', amount: -50 },
    { account: 'operator:mtn_ci', amount: 50 },
  ])
  // No order explains this one, so it is in the wallet of the operator's route.
  const against = (operator: string, amount: number) => [
    { account: `operator:${operator}`, amount: -amount },
    { account: 'available', amount },
  ]
  await book(sql, other, 'adj_1', 'adjustment', against('mtn_ci', -300))
  await book(sql, shop, 'dep_1', 'deposit', [
    { account: 'bank', amount: -2_000 },
    { account: 'transfer', amount: 2_000 },
  ])
  await sql`insert into accounts (merchant_id, livemode, account) values (${idle}, true, 'bank')`
  await sql`
    insert into adjustments (merchant_id, livemode, id, direction, amount, counterpart, reason, proposed_by)
    values (${shop}, true, 'adj_2', 'credit', 5, 'operator:orange_ci', 'r', 'a'),
           (${shop}, true, 'adj_3', 'credit', 5, 'bank', 'r', 'a'),
           (${shop}, true, 'adj_4', 'credit', 5, 'fees', 'r', 'a')`
  const [before, written] = [await balancesOf(sql, shop, LIVE), await entries(sql)]

  await migrate(db.url)

  const { available, fees, transfer, ...rest } = await balancesOf(sql, shop, LIVE)
  assert.deepEqual([available, fees, transfer], [before.available, before.fees, before.transfer])
  assert.deepEqual(rest, { 'held:bank': -2_000, 'held:mtn-direct': -7_000, 'held:paw': -15_000 })
  const inTest = await balancesOf(sql, shop, TEST)
  assert.deepEqual(inTest, { available: 899, fees: 1, 'held:simulator': -900 })
  assert.deepEqual(await balancesOf(sql, other, LIVE), {
    ...{ available: 99, fees: 1 },
    ...{ 'held:mtn-direct': 300, 'held:paw': -400 },
  })
  assert.deepEqual(await balancesOf(sql, idle, LIVE), {})
  assert.deepEqual(await entries(sql), written, 'the entries before are as they were')
  const waiting = await sql<{ counterpart: string }[]>`select counterpart from adjustments order by id`
  assert.deepEqual(
    waiting.map(({ counterpart }) => counterpart),
    ['held:paw', 'held:bank', 'fees'],
  )
  for (const { check, contradictions } of [...ledgerChecks, ...heldChecks]) {
    assert.deepEqual(await sql.begin(async (tx) => [...(await contradictions(tx))]), [], check)
  }
  await assert.rejects(
    book(sql, shop, 'adj_5', 'adjustment', against('mtn_ci', 1)),
    /accounts_of_operators_are_closed/,
    'nothing is booked there again',
  )
})

test('a refund that was under way gives its money back to the wallet that it left', { skip }, async () => {
  await using db = await createDatabaseBefore('0082_', migrations)
  const sql = db.open()
  await connect(sql, 'paw')
  const shop = await newMerchant(sql)
  await collect(sql, shop, { id: 'txn_1', connector: 'paw', operator: 'orange_ci', amount: 10_000 })
  await sql`
    insert into payments (merchant_id, livemode, id, amount, currency, status, operator, net_amount, fee_amount, amount_collected)
    values (${shop}, true, 'txn_1', 10000, 'XOF', 'succeeded', 'orange_ci', 9999, 1, 10000)`
  await sql`
    insert into refunds (merchant_id, livemode, id, payment_id, amount, amount_returned, fee_amount, net_amount, currency, status,
                         operator, by_hand, request_key, requested_by)
    values (${shop}, true, 'rfd_1', 'txn_1', 100, 100, 0, 100, 'XOF', 'manual', 'orange_ci', true, 'k', 'a')`
  await book(sql, shop, 'rfd_1', 'refund_started', [
    { account: 'available', amount: -100 },
    { account: 'operator:orange_ci', amount: 100 },
  ])
  await migrate(db.url)
  const [refund] = await sql<{ wallet: string }[]>`select wallet from refunds`
  assert.equal(refund!.wallet, 'paw')
  assert.equal((await balancesOf(sql, shop, LIVE))['held:paw'], -9_900)
})

test('an account whose money came from the accounts by operator cannot be opened on a day before', {
  skip,
}, async () => {
  await using db = await createDatabaseBefore('0082_', migrations)
  const sql = db.open()
  for (const name of ['paw', 'wave']) await connect(sql, name)
  await collect(sql, await newMerchant(sql), { id: 'txn_1', connector: 'paw', operator: 'orange_ci', amount: 10_000 })
  await migrate(db.url)
  const opened = async (account: string, day: string) => {
    const values = { account, day, balance: 10_000, mode: 'live' }
    const by = { person: 'awa@example.ci', door: 'command_line', from: null, step_up_id: null } as const
    const asked = await askAct(openAccount, { sql, clock }, { by, within: {}, values })
    return asked.kind === 'refused' ? [asked.code, asked.fillings?.from] : asked.kind
  }
  const [today] = new Date().toISOString().split('T') as [string, string]
  const inADay = Date.now() + 86_400_000
  const clock = { ...createClock(), now: () => new Date(inADay), milliseconds: () => inADay }
  assert.deepEqual(await opened('paw', '2026-01-31'), ['day_before_books', today])
  assert.equal(await opened('paw', today), 'question')
  assert.equal(await opened('wave', '2026-01-31'), 'question', 'it began empty')
})

test('an adjustment against an operator that is a connector of its own is in the wallet of that connector', {
  skip,
}, async () => {
  await using db = await createDatabaseBefore('0082_', migrations)
  const sql = db.open()
  for (const name of ['first', 'orange_ci']) await connect(sql, name)
  const shop = await newMerchant(sql)
  await book(sql, shop, 'adj_1', 'adjustment', [
    { account: 'operator:orange_ci', amount: -70 },
    { account: 'available', amount: 70 },
  ])
  await migrate(db.url)
  assert.deepEqual(await balancesOf(sql, shop, LIVE), { available: 70, 'held:orange_ci': -70 })
})
