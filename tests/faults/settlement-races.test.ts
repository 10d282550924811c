import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { actor } from '../harness/actor.ts'
import { openPool } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkBooks, readWhole } from '../harness/oracle.ts'
import { openSeed } from '../harness/seed.ts'
import { type Decided, paySettlement, rejectSettlement, validateSettlement } from '../harness/settlements.ts'
import { idOf } from './payout-merchant.ts'
import {
  availableOf,
  bankOf,
  inFlightOf,
  newSettlementMerchant,
  type SettlementMerchant,
  settlement,
} from './settlement-merchant.ts'

// Several people decide on the same settlements at the same moment, each from a place of its own.

let installation: Installation
/** Pools as separate processes have them. */
let pools: Sql[]
before(async () => {
  installation = await openInstallation({ own: 'reads whole tables' })
  pools = ['one', 'other'].map((name) => openPool({ url: installation.db.url, connections: 6, name }))
})
after(async () => {
  await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })))
  await installation[Symbol.asyncDispose]()
})

const validate = (sql: Sql, id: string, by: string) => validateSettlement({ sql, clock: createClock() }, id, actor(by))
const pay = (sql: Sql, id: string, by: string, reference: string) =>
  paySettlement({ sql, clock: createClock() }, id, actor(by), reference)
const reject = (sql: Sql, id: string, by: string) =>
  rejectSettlement({ sql, clock: createClock() }, id, actor(by), null)

async function ask(merchant: SettlementMerchant): Promise<string> {
  const answer = await installation.ask(settlement(merchant, 5_000))
  assert.equal(answer.status, 202, answer.text)
  return idOf(answer)
}

const moved = (results: readonly Decided[]) => results.filter(({ kind }) => kind === 'moved').length

test('of concurrent validations, rejections and payments one path is taken, once, by two people, with its money and events', async (t) => {
  const { sql } = installation.db
  const seed = openSeed(t)
  const ROUNDS = 100
  const merchant = await newSettlementMerchant(installation, { available: ROUNDS * 5_000 })
  const ends: Record<string, number> = { paid: 0, rejected: 0, validated: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await ask(merchant)
    if (seed.chance(0.5)) await validate(sql, id, 'awa')
    const acts = [
      () => validate(pools[0]!, id, 'awa'),
      () => validate(pools[1]!, id, 'issa'),
      () => pay(pools[0]!, id, 'issa', `R-${round}`),
      () => pay(pools[1]!, id, 'awa', `R-${round}`),
      () => pay(pools[1]!, id, 'fatou', `R-${round}`),
      ...(seed.chance(0.5) ? [() => reject(pools[0]!, id, 'awa'), () => reject(pools[1]!, id, 'fatou')] : []),
    ]
    const results = await Promise.all(acts.toSorted(() => seed.between(0, 1) - 0.5).map((act) => act()))
    for (const result of results) {
      if (result.kind === 'refused')
        assert.match(result.code, /^(?:pending_validation|validated|paid|rejected|same_person)$/)
    }
    const [row] = await sql<{ status: string; moves: number; validated_by: string | null; paid_by: string | null }[]>`
      select status, transition_count as moves, validated_by, paid_by from settlements where id = ${id}`
    ends[row!.status]! += 1
    assert.ok(row!.paid_by === null || row!.paid_by !== row!.validated_by)
    const traces =
      await sql`select from settlement_transitions_log where settlement_id = ${id} and merchant_id = ${merchant.merchant_id} and livemode = false`
    assert.equal(traces.length, row!.moves)
    assert.ok(moved(results) >= 1)
  }
  assert.ok(ends.paid! > 10 && ends.rejected! > 10, JSON.stringify(ends))
  assert.equal(await inFlightOf(sql, merchant), ends.validated! * 5_000)
  assert.equal(await availableOf(sql, merchant), ends.rejected! * 5_000)
  assert.equal(await bankOf(sql, merchant), ends.paid! * 5_000)
  await checkEvents(sql)
  await checkBooks(sql)
  t.diagnostic(JSON.stringify(ends))
})

test('one bank transfer entered for many settlements at once pays one of them', async () => {
  const { sql } = installation.db
  for (let round = 0; round < 10; round += 1) {
    const merchant = await newSettlementMerchant(installation, { available: 50_000 })
    const ids = await Promise.all(Array.from({ length: 8 }, () => ask(merchant)))
    await Promise.all(ids.map((id) => validate(sql, id, 'awa')))
    const results = await Promise.all(
      ids.map((id, at) => pay(pools[at % 2]!, id, 'issa', at % 3 === 0 ? 'vir 7' : 'VIR7')),
    )
    assert.equal(moved(results), 1)
    const others = results.flatMap((result) => (result.kind === 'refused' ? [result.code] : []))
    assert.deepEqual(new Set(others), new Set(['bank_reference_used']))
    assert.equal(await bankOf(sql, merchant), 5_000)
  }
  await checkBooks(sql)
})

test('of concurrent commands in separate processes one pays the settlement, and the others say that it is paid', async () => {
  const { sql } = installation.db
  const merchant = await newSettlementMerchant(installation, { available: 10_000 })
  const id = await ask(merchant)
  await validate(sql, id, 'awa@example.com')
  const command = (...words: string[]) =>
    installation.bandama('settlement', ...words).then(
      ({ status }) => String(status),
      ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
    )
  const results = await Promise.all([
    command('pay', '--id', id, '--as', 'issa@example.com', '--bank-reference', 'VIR-1'),
    command('pay', '--id', id, '--as', 'fatou@example.com', '--bank-reference', 'VIR-2'),
    command('reject', '--id', id, '--as', 'awa@example.com'),
    command('pay', '--id', id, '--as', 'awa@example.com', '--bank-reference', 'VIR-3'),
  ])
  const done = results.filter((result) => !result.startsWith('1 '))
  assert.equal(done.length, 1, JSON.stringify(results))
  for (const result of results.filter((one) => one.startsWith('1 '))) {
    assert.match(result, /is paid: transfer VIR-[12]|was rejected by awa@example\.com|Two people pay a settlement/)
  }
  assert.equal(await inFlightOf(sql, merchant), 0)
  await checkBooks(sql)
})

/** One event for each move, written by the transaction that moved. */
async function checkEvents(sql: Sql): Promise<void> {
  const uneven = await readWhole(
    sql,
    (tx) => tx`
      select subject_id, type
        from (select settlement_id as subject_id, 'settlement.' || to_status as type, xmin::text as wrote
                from settlement_transitions_log) m
        full join (select subject_id, type, xmin::text as wrote
                     from events where type like 'settlement.%') e using (subject_id, type, wrote)
       where m.subject_id is null or e.subject_id is null`,
  )
  assert.deepEqual([...uneven], [], 'one event for each move, of the same transaction')
}
