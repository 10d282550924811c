import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AdjustmentView } from '../../src/adjustments/adjustment.ts'
import { createClock } from '../../src/platform/clock.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { decideAdjustment, type ProposedAdjustment, proposeAdjustment } from '../harness/adjustments.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'

const AMA = 'ama@example.com'
const KOFI = 'kofi@example.com'

let installation: Installation
let merchant: Collector
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  merchant = await newCollector(installation)
})
after(() => installation[Symbol.asyncDispose]())

const bandama = (...words: string[]) => installation.bandama(...words) as unknown as Promise<AdjustmentView>

const available = async () => (await merchant.balances()).available

/** The balance of one of the merchant's accounts. */
async function balanceOf(account: string): Promise<number> {
  const [row] = await installation.db.sql<{ balance: number }[]>`
    select balance from accounts
     where merchant_id = ${merchant.tenant.merchant_id} and livemode = false and account = ${account}`
  return row!.balance
}

/** Ama proposes, without the command. Returns its id. */
async function proposed(more: Partial<ProposedAdjustment>): Promise<string> {
  const usual = {
    direction: 'credit',
    amount: 100,
    counterpart: 'fees',
    reason: 'A gesture',
    proposed_by: actor(AMA),
  } as const
  const deps = { sql: installation.db.sql, clock: createClock() }
  const result = await proposeAdjustment(deps, { ...merchant.tenant, ...usual, ...more })
  assert.ok(result.kind === 'proposed', JSON.stringify(result))
  return result.adjustment.id
}

const decide = (id: string, status: 'approved' | 'refused', decided_by = KOFI) =>
  decideAdjustment(installation.db.sql, id, { status, decided_by: actor(decided_by) })

test('a correction proposed by one person is booked when another approves it', async () => {
  const words = [
    '--direction',
    'credit',
    '--amount',
    '750',
    '--against',
    'orange_ci',
    '--reason',
    'Found on their statement',
  ]
  const made = await bandama('adjustment', 'propose', ...merchant.words, ...words, '--as', AMA)
  assert.deepEqual(
    [made.status, made.direction, made.amount, made.against, made.proposed_by, made.decided_by],
    // The wallet of the operator's collections.
    ['proposed', 'credit', 750, 'simulator', AMA, null],
  )
  assert.equal(await available(), 0)
  await refused(bandama('adjustment', 'approve', '--id', made.id, '--as', AMA), /The proposer cannot decide/)
  const approved = await bandama('adjustment', 'approve', '--id', made.id, '--as', KOFI)
  assert.deepEqual([approved.status, approved.decided_by], ['approved', KOFI])
  assert.deepEqual([await available(), await balanceOf('held:simulator')], [750, -750])
  const listed = (await installation.bandama('adjustment', 'list', ...merchant.words)).adjustments as AdjustmentView[]
  assert.deepEqual(
    listed.map((one) => ({ adjustment_id: one.id, ...one })),
    [approved],
  )
})

test('two spellings of one person are one person, on the command line and in the database', async () => {
  const before = await available()
  const words = ['--direction', 'credit', '--amount', '5', '--against', 'fees', '--reason', 'A gesture']
  const made = await bandama('adjustment', 'propose', ...merchant.words, ...words, '--as', 'Ama@Example.com')
  for (const written of ['ama@example.com', ' AMA@example.com ', 'ＡＭＡ@example.com']) {
    await refused(bandama('adjustment', 'approve', '--id', made.id, '--as', written), /The proposer cannot decide/)
    assert.deepEqual(await decide(made.id, 'approved', written), { kind: 'refused', code: 'same_person' })
  }
  assert.deepEqual(await decide(made.id, 'approved', 'KEY:1'), { kind: 'refused', code: 'same_person' })
  assert.equal(await available(), before)
  // As it is kept, the database knows the person as well.
  assert.equal(made.proposed_by, AMA)
})

test('a debit never brings a merchant’s balance below zero: it waits until it is covered', async () => {
  const before = await available()
  const id = await proposed({ direction: 'debit', amount: before + 1, counterpart: 'bank' })
  assert.deepEqual(await decide(id, 'approved'), { kind: 'refused', code: 'insufficient_funds' })
  assert.equal(await available(), before)
  assert.equal((await decide(await proposed({ amount: 1 }), 'approved')).kind, 'decided')
  assert.equal((await decide(id, 'approved')).kind, 'decided')
  assert.deepEqual([await available(), await balanceOf('held:bank'), await balanceOf('fees')], [0, before + 1, -1])
})

test('a refused correction books nothing, and no correction is decided twice', async () => {
  const id = await proposed({})
  assert.equal((await decide(id, 'refused')).kind, 'decided')
  assert.equal(await available(), 0)
  for (const status of ['approved', 'refused'] as const) {
    assert.deepEqual(await decide(id, status), { kind: 'refused', code: 'already_decided' })
  }
  assert.deepEqual(await decide('adj_1', 'approved'), { kind: 'refused', code: 'resource_not_found' })
})

test('of concurrent decisions one counts', async () => {
  for (let round = 0; round < 5; round += 1) {
    const before = await available()
    const id = await proposed({})
    const results = await Promise.all([
      decide(id, 'approved'),
      decide(id, 'refused'),
      decide(id, 'approved', 'yao@example.com'),
      decide(id, 'approved'),
    ])
    const won = results.filter((result) => result.kind === 'decided')
    assert.equal(won.length, 1, JSON.stringify(results))
    const change = won[0]!.adjustment.status === 'approved' ? 100 : 0
    assert.equal(await available(), before + change)
  }
})

test('concurrent debits never take more than the balance', async () => {
  const before = await available()
  await decide(await proposed({ amount: 1_000 }), 'approved')
  const ids = await Promise.all(Array.from({ length: 8 }, () => proposed({ direction: 'debit', amount: 300 })))
  const results = await Promise.all(ids.map((id) => decide(id, 'approved')))
  const booked = results.filter(({ kind }) => kind === 'decided').length
  assert.equal(booked, Math.floor((before + 1_000) / 300))
  assert.equal(await available(), before + 1_000 - booked * 300)
})

test('one person alone cannot book a correction, whatever our code does', async () => {
  const id = await proposed({})
  const { sql } = installation.db
  for (const who of [AMA, 'key:1'])
    assert.deepEqual(await decide(id, 'approved', who), { kind: 'refused', code: 'same_person' })
  await assert.rejects(
    sql`update adjustments set status = 'approved', decided_by = proposed_by, decided_at = clock_now() where id = ${id}`,
    (error) => violatedConstraint(error)?.startsWith('adjustments') === true,
  )
  await assert.rejects(sql`update adjustments set amount = 5 where id = ${id}`, /what was proposed is fixed/)
  await assert.rejects(sql`delete from adjustments where id = ${id}`, /append-only/)
})

test('the commands explain their refusals', async () => {
  const propose = (...words: string[]) => bandama('adjustment', 'propose', ...words, '--reason', 'Why', '--as', AMA)
  const right = ['--direction', 'credit', '--amount', '5', '--against', 'fees']
  await refused(propose('--merchant', '999999', '--mode', 'test', ...right), /There is no merchant 999999/)
  await refused(
    propose(...merchant.words, '--direction', 'up', '--amount', '5', '--against', 'fees'),
    /credit or debit/,
    2,
  )
  await refused(
    propose(...merchant.words, '--direction', 'credit', '--amount', '5', '--against', 'till'),
    /no account till/,
    2,
  )
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
