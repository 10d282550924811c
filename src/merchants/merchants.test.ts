import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { type NewFees, setFees } from '../../tests/harness/fees.ts'
import { setActive } from '../../tests/harness/merchant.ts'
import { perform } from '../../tests/harness/perform.ts'
import { untilSeenWithinASecond } from '../../tests/harness/wait-for.ts'
import { accountsOfMerchant } from '../ledger/accounts.ts'
import { createClock } from '../platform/clock.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { createMerchant as createMerchantAct } from './create-merchant.ts'
import { feeAt } from './fees.ts'
import { createMerchantSettings } from './settings.ts'
import { selectSettings } from './store.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const newMerchant = () => createMerchant(db.sql, 'Boutique')
const fees = (merchant_id: number, more: Partial<NewFees> = {}): NewFees => ({
  merchant_id,
  service: 'collection',
  basis_points: 150,
  fixed: 0,
  minimum: 0,
  maximum: null,
  bearer: 'merchant',
  effective_from: null,
  ...more,
})

async function databaseTime(later: string): Promise<Date> {
  const [row] = await db.sql<{ at: Date }[]>`
    select date_trunc('milliseconds', clock_now() + ${later}::interval) as at`
  return row!.at
}

test('a merchant is born with its accounts at zero in both modes', async () => {
  const merchant_id = await newMerchant()
  const rows = await db.sql<{ livemode: boolean; account: string; balance: number }[]>`
    select livemode, account, balance
      from accounts
     where merchant_id = ${merchant_id}
     order by livemode, account`
  // The simulator takes most orders of test mode.
  const namesOf = (livemode: boolean) => [...accountsOfMerchant, ...(livemode ? [] : ['held:simulator'])].toSorted()
  assert.deepEqual(
    [...rows],
    [false, true].flatMap((livemode) => namesOf(livemode).map((account) => ({ livemode, account, balance: 0 }))),
  )
})

test('a merchant whose creation fails leaves nothing', async () => {
  const count = async () => (await db.sql`select count(*)::int as merchants from merchants`)[0]
  const before = await count()
  const failing = defineEffect<number>('account', () => Promise.reject(new Error('no accounts')))
  const deps = { sql: db.sql, clock: createClock(), openAccounts: failing, is_checked: true }
  await assert.rejects(perform(createMerchantAct, deps, { values: { name: 'Boutique' } }), /no accounts/)
  await assert.rejects(createMerchant(db.sql, ''))
  assert.deepEqual(await count(), before)
})

test('a deactivated merchant is seen as such within a second', async () => {
  const merchant_id = await newMerchant()
  const settings = createMerchantSettings({ sql: db.sql })
  assert.equal((await settings(merchant_id)).active, true)
  assert.deepEqual(await setActive(db.sql, merchant_id, false), { kind: 'changed' })
  await untilSeenWithinASecond(async () => !(await settings(merchant_id)).active)
  assert.deepEqual(await setActive(db.sql, 999_999_999, true), { kind: 'refused', code: 'resource_not_found' })
})

test('settings in memory are answered without a promise, and all waiting callers share one read', async () => {
  const ids = await Promise.all([newMerchant(), newMerchant(), newMerchant()])
  await db.sql`update merchants set collection_amount_max = 5000 where merchant_id = ${ids[1]!}`
  const settings = createMerchantSettings({ sql: db.sql })
  const found = await Promise.all(ids.map((id) => settings(id)))
  assert.deepEqual(
    found.map((one) => one.collection_amount_max),
    [null, 5_000, null],
  )
  assert.equal(settings(ids[0]!) instanceof Promise, false)
  await assert.rejects(async () => settings(999_999_999), /does not exist/)
})

test('a fee begins once every process can know it or later, never before', async () => {
  const merchant_id = await newMerchant()
  const now = await setFees(db.sql, fees(merchant_id))
  assert.ok(now.kind === 'set')
  const tomorrow = await databaseTime('1 day')
  const later = await setFees(db.sql, fees(merchant_id, { effective_from: tomorrow, basis_points: 90 }))
  assert.deepEqual(later, { kind: 'set', effective_from: tomorrow })
  const past = { kind: 'refused', code: 'effective_too_early' }
  for (const early of ['-1 second', '1 second']) {
    const effective_from = await databaseTime(early)
    assert.deepEqual(await setFees(db.sql, fees(merchant_id, { effective_from })), past, early)
  }
  const [before, known] = [
    await databaseTime('2 seconds'),
    await setFees(db.sql, fees(merchant_id, { effective_from: 'when_known' })),
  ]
  assert.ok(known.kind === 'set' && known.effective_from >= before)
  const taken = { kind: 'refused', code: 'schedule_exists' }
  assert.deepEqual(await setFees(db.sql, fees(merchant_id, { effective_from: tomorrow })), taken)
})

test('fees that cannot be charged are refused', async () => {
  const merchant_id = await newMerchant()
  const wrong: Partial<NewFees>[] = [
    { basis_points: -1 },
    { basis_points: 10_001 },
    { basis_points: 1.5 },
    { fixed: -1 },
    { fixed: 0.5 },
    { fixed: 2 ** 53 },
    { minimum: Number.NaN },
    { minimum: 10, maximum: 9 },
    { maximum: Number.POSITIVE_INFINITY },
  ]
  for (const more of wrong) {
    assert.deepEqual(await setFees(db.sql, fees(merchant_id, more)), { kind: 'refused', code: 'invalid_fees' })
  }
  assert.deepEqual(await setFees(db.sql, fees(999_999_999)), { kind: 'refused', code: 'resource_not_found' })
})

test('a schedule once made is never changed', async () => {
  const merchant_id = await newMerchant()
  await setFees(db.sql, fees(merchant_id))
  await assert.rejects(db.sql`update fee_schedules set fixed = 1 where merchant_id = ${merchant_id}`, /append-only/)
  await assert.rejects(db.sql`delete from fee_schedules where merchant_id = ${merchant_id}`, /append-only/)
})

test('of old schedules only the one still needed is read, of coming ones all', async () => {
  await using own = await openTestDatabase()
  const merchant_id = await createMerchant(own.sql, 'Boutique')
  for (const [days, basis_points] of [
    [0, 100],
    [1, 200],
    [2, 300],
    [9, 400],
  ] as const) {
    const [row] = await own.sql<{ at: Date }[]>`select clock_now() + ${`${days} days`}::interval as at`
    const effective_from = days === 0 ? null : row!.at
    const payout = await setFees(own.sql, fees(merchant_id, { service: 'payout', effective_from, basis_points }))
    assert.equal(payout.kind, 'set')
  }
  await setFees(own.sql, fees(merchant_id, { basis_points: 50 }))
  const rates = async () => {
    const found = (await selectSettings(own.sql, [merchant_id])).get(merchant_id)!.fee_schedules
    return found.map((one) => one.basis_points).sort((a, b) => a - b)
  }
  assert.deepEqual(await rates(), [50, 100, 200, 300, 400])
  // Just after the third began, the second is still read, for an operation that began just before.
  await own.moveClock('2 days 1 minute')
  assert.deepEqual(await rates(), [50, 200, 300, 400])
  await own.moveClock('2 days 2 hours')
  assert.deepEqual(await rates(), [50, 300, 400])
})

test('a merchant is charged by the schedule of the moment', async () => {
  const merchant_id = await newMerchant()
  const charged = { basis_points: 175, fixed: 5, minimum: 1, maximum: 900, bearer: 'payer' as const }
  const set = await setFees(db.sql, fees(merchant_id, charged))
  assert.ok(set.kind === 'set')
  const { fee_schedules } = await createMerchantSettings({ sql: db.sql })(merchant_id)
  const soon = await databaseTime('1 second')
  const expected = { service: 'collection', effective_from: set.effective_from, ...charged }
  assert.deepEqual(feeAt(fee_schedules, 'collection', soon), expected)
  assert.equal(feeAt(fee_schedules, 'payout', soon), null)
})
