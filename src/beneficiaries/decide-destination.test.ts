import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { archiveBeneficiary, proposeDestination } from '../../tests/harness/destinations.ts'
import { assertMovesAsTable } from '../../tests/harness/effects.ts'
import { perform } from '../../tests/harness/perform.ts'
import { teamsOn } from '../../tests/harness/teams.ts'
import { createClock } from '../platform/clock.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { MerchantRole } from '../values/rights.ts'
import { confirmDestination, refuseDestination, transitionProposal, withdrawDestination } from './decide-destination.ts'
import { designateDestination } from './designate-destination.ts'
import { proposalTransitions } from './proposal-states.ts'
import { type ProposalRow, readPast, readWaiting } from './proposal-store.ts'
import { stopDesignation } from './stop-designation.ts'
import { readDesignated } from './store.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const { member } = teamsOn(() => db.sql)
let numbers = 0

/** Makes a merchant with a person for each role, and destinations in its book. */
async function newShop(...roles: MerchantRole[]) {
  const merchant_id = await createMerchant(db.sql, 'Boutique')
  const tenant: Tenant = { merchant_id, livemode: false }
  const people: Actor[] = []
  for (const role of roles) {
    const { email } = await member(role, [role], merchant_id)
    people.push(actor(email))
  }
  return { tenant, people }
}

async function newDestination({ merchant_id, livemode }: Tenant): Promise<string> {
  const msisdn = `+22507${String(++numbers).padStart(8, '0')}`
  const [row] = await db.sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4)
    values (${merchant_id}, ${livemode}, 'settlement', 'Caisse', 'wave_ci', ${msisdn}, ${msisdn.slice(-4)})
    returning id`
  return row!.id
}

async function propose(tenant: Tenant, destination: string, by: Actor): Promise<string> {
  const proposed = await proposeDestination(db.sql, tenant, destination, by)
  assert.ok(proposed.kind === 'done', JSON.stringify(proposed))
  return proposed.result.proposal_id
}

/** A decision of a person on a proposal. */
type Decision = 'confirmed' | 'withdrawn' | { reason: string }

const cooling = (hours: number) => ({ settlementRules: { destination_cooling_hours: hours } })

function decide(tenant: Tenant, id: string, wanted: Decision, by: Actor) {
  const deps = { sql: db.sql, clock: createClock(), ...cooling(24) }
  const subject = { id, within: tenant }
  if (wanted === 'confirmed') return perform(confirmDestination, deps, subject, by)
  if (wanted === 'withdrawn') return perform(withdrawDestination, deps, subject, by)
  return perform(refuseDestination, deps, { ...subject, values: wanted }, by)
}

const done = { kind: 'done', result: null }
const refusal = (code: string) => ({ kind: 'refused', code })

test('in every state each trigger moves a proposal as the table of transitions says, or changes nothing', () => {
  const row = {
    ...{
      merchant_id: 1,
      livemode: false,
      id: 'a',
      beneficiary_id: 'b',
      status: 'proposed',
      proposed_by: 'awa@shop.ci',
    },
    ...{ proposed_at: new Date(0), decided_by: null, decided_at: null, owner: null, reason: null, break_glass: false },
    ...{ proof_session_id: null, by_company: false, called_by: null, called_at: null },
    ...{ called_number: null, call_report: null },
    ...{ stopped_by: null, stopped_at: null, name: 'Caisse', operator: 'wave_ci', last4: '0001' },
  } as const satisfies ProposalRow
  assertMovesAsTable(
    'destination proposal',
    ['proposed', 'confirmed', 'refused', 'withdrawn', 'lapsed'],
    proposalTransitions,
    (status): ProposalRow => ({ ...row, status }),
    (proposal, trigger, now) => transitionProposal(proposal, { ...trigger, decided_by: 'ben@shop.ci' }, now),
  )
})

test('settlements go to a new destination once a second person has confirmed it, and its cooling-off begins then', async () => {
  const { tenant, people } = await newShop('owner', 'approver')
  const [owner, approver] = people as [Actor, Actor]
  const old = await newDestination(tenant)
  await designateDestination(db.sql, tenant, old, new Date('2026-01-01T00:00:00Z'), actor('host:root'))
  const next = await newDestination(tenant)
  const id = await propose(tenant, next, owner)
  assert.equal((await readDesignated(db.sql, tenant))!.id, old, 'a proposal alone changes nothing')
  assert.deepEqual(await decide(tenant, id, 'confirmed', approver), done)
  const [decided] = await readPast(db.sql, tenant, 1)
  assert.deepEqual([decided!.status, decided!.owner], ['confirmed', owner.person])
  const designated = (await readDesignated(db.sql, tenant))!
  assert.equal(designated.id, next)
  assert.ok(Math.abs(designated.designated_at.getTime() - decided!.decided_at!.getTime()) < 5_000)
  assert.deepEqual(
    (await readPast(db.sql, tenant, 10)).map(({ beneficiary_id, break_glass }) => [beneficiary_id, break_glass]),
    [
      [next, false],
      [old, true],
    ],
  )
  const acts = await db.sql<{ act: string; actor: string }[]>`
    select act, actor from audit_log where merchant_id = ${tenant.merchant_id} and subject = ${next} order by at`
  assert.deepEqual(
    acts.map((line) => [line.act, line.actor]),
    [
      ['destination.propose', owner.person],
      ['destination.designate', approver.person],
    ],
  )
})

test('the proposer does not decide, and neither do two people of whom none is an owner', async () => {
  const { tenant, people } = await newShop('owner', 'accountant', 'approver')
  const [owner, accountant, approver] = people as [Actor, Actor, Actor]
  const id = await propose(tenant, await newDestination(tenant), accountant)
  assert.deepEqual(await decide(tenant, id, 'confirmed', accountant), refusal('same_person'))
  assert.deepEqual(
    await decide(tenant, id, 'confirmed', actor(accountant.person.toUpperCase())),
    refusal('same_person'),
  )
  assert.deepEqual(await decide(tenant, id, { reason: 'no' }, accountant), refusal('same_person'))
  assert.deepEqual(await decide(tenant, id, 'withdrawn', approver), refusal('not_proposer'))
  assert.deepEqual(await decide(tenant, id, 'confirmed', approver), refusal('no_owner'))
  assert.equal((await readWaiting(db.sql, tenant))!.id, id, 'it goes on waiting')
  assert.deepEqual(await decide(tenant, id, 'confirmed', owner), done)
  assert.deepEqual(await decide(tenant, id, 'confirmed', owner), done, 'a repeated submission is the same decision')
  assert.deepEqual(await decide(tenant, id, { reason: 'no' }, owner), refusal('already_decided'))
})

test('a proposal is refused with a reason or withdrawn, and then another one can be made', async () => {
  const { tenant, people } = await newShop('owner', 'approver')
  const [owner, approver] = people as [Actor, Actor]
  const [one, other] = [await newDestination(tenant), await newDestination(tenant)]
  const first = await propose(tenant, one, owner)
  assert.equal(await propose(tenant, one, owner), first, 'the same again is the one that waits')
  assert.deepEqual(await proposeDestination(db.sql, tenant, other, owner), refusal('another_waits'))
  await decide(tenant, first, 'withdrawn', owner)
  const second = await propose(tenant, other, owner)
  await decide(tenant, second, { reason: 'Pas notre compte' }, approver)
  assert.deepEqual(
    (await readPast(db.sql, tenant, 10)).map(({ status, reason }) => [status, reason]),
    [
      ['refused', 'Pas notre compte'],
      ['withdrawn', null],
    ],
  )
  assert.equal(await readDesignated(db.sql, tenant), null)
  const id = await propose(tenant, one, owner)
  await archiveBeneficiary(db.sql, one, owner)
  assert.deepEqual(await decide(tenant, id, 'confirmed', approver), refusal('destination_archived'))
})

test('only an active destination of this merchant and mode can be proposed, and not the designated one', async () => {
  const { tenant, people } = await newShop('owner')
  const [owner] = people as [Actor]
  const { tenant: other, people: others } = await newShop('owner', 'approver')
  const designated = await newDestination(tenant)
  await designateDestination(db.sql, tenant, designated, null)
  assert.deepEqual(await proposeDestination(db.sql, tenant, designated, owner), refusal('already_designated'))
  const live = await newDestination({ ...tenant, livemode: true })
  for (const id of ['x', crypto.randomUUID(), await newDestination(other), live])
    assert.deepEqual(await proposeDestination(db.sql, tenant, id, owner), refusal('unknown_destination'))
  const theirs = await propose(other, await newDestination(other), others[0]!)
  assert.deepEqual(await decide(tenant, theirs, 'confirmed', owner), refusal('resource_not_found'))
})

test('of two simultaneous decisions one counts', async () => {
  const { tenant, people } = await newShop('owner', 'approver', 'approver')
  const [owner, one, other] = people as [Actor, Actor, Actor]
  const id = await propose(tenant, await newDestination(tenant), owner)
  const results = await Promise.all([
    decide(tenant, id, 'confirmed', one),
    decide(tenant, id, { reason: 'Pas notre compte' }, other),
  ])
  assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ['done', 'refused'])
})

test('the database itself refuses to overwrite a stop, or to stop a change that was never confirmed', async () => {
  const { tenant, people } = await newShop('owner', 'approver')
  const [owner, approver] = people as [Actor, Actor]
  const destination = await newDestination(tenant)
  const id = await propose(tenant, destination, owner)
  const stop = (person: string) => db.sql`
    update destination_proposals set stopped_by = ${person}, stopped_at = clock_now()
     where merchant_id = ${tenant.merchant_id} and livemode = false and id = ${id}`
  await assert.rejects(stop('aya'), { code: '23514' })
  await decide(tenant, id, 'confirmed', approver)
  const stopAfter = (hours: number) =>
    perform(
      stopDesignation,
      { sql: db.sql, clock: createClock(), ...cooling(hours) },
      { id: destination, within: tenant },
      owner,
    )
  assert.deepEqual(await stopAfter(0), refusal('not_cooling'))
  assert.deepEqual(await stopAfter(24), done)
  assert.equal(await readDesignated(db.sql, tenant), null)
  assert.equal((await readPast(db.sql, tenant, 1))[0]!.stopped_by, owner.person)
  await assert.rejects(stop('aya'), { code: '23514' })
})

/** Decisions that a mistake could write, as columns of a proposal by `aya`. The database must refuse each. */
const mistakes: readonly [why: string, change: Record<string, unknown>][] = [
  ['a confirmation by the proposer', { decided_by: 'aya', owner: 'aya' }],
  ['a confirmation by the proposer, written otherwise', { decided_by: ' AYA ', owner: 'aya' }],
  ['a confirmation by a key', { decided_by: 'key:K1', owner: 'aya' }],
  ['a confirmation without an owner', { decided_by: 'fatou', owner: null }],
  ['a confirmation with another owner', { decided_by: 'fatou', owner: 'koffi' }],
  ['a refusal without a reason', { status: 'refused', decided_by: 'fatou' }],
  ['a withdrawal by somebody else', { status: 'withdrawn', decided_by: 'fatou' }],
  ['a change of what was proposed', { status: 'proposed', proposed_by: 'fatou' }],
  ['a proposal that becomes a command', { decided_by: 'fatou', break_glass: true }],
]

for (const [why, change] of mistakes) {
  test(`the database itself refuses ${why}`, async () => {
    const { tenant } = await newShop()
    const { merchant_id } = tenant
    await db.sql`
      insert into destination_proposals (merchant_id, livemode, beneficiary_id, proposed_by)
      values (${merchant_id}, false, ${await newDestination(tenant)}, 'aya')`
    const write = (columns: Record<string, unknown>) => {
      const decided_at = columns.status === 'proposed' ? null : new Date()
      const row = JSON.stringify({ status: 'confirmed', decided_at, ...columns })
      return db.sql`
        update destination_proposals p
           set (status, decided_by, decided_at, owner, reason, proposed_by, break_glass) = (
               select n.status, n.decided_by, n.decided_at, n.owner, n.reason, n.proposed_by, n.break_glass
                 from json_populate_record(p, ${row}::text::json) n)
         where merchant_id = ${merchant_id} and livemode = false`
    }
    await assert.rejects(write(change), { code: '23514' })
    await write({ decided_by: 'fatou', owner: 'aya' })
    await assert.rejects(write({ decided_by: 'fatou', owner: 'fatou' }), { code: '23514' }, 'decided once')
  })
}
