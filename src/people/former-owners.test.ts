import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { confirmForMerchant, confirmRole, disablePerson, resetPerson } from '../../tests/harness/people-acts.ts'
import { newAddress, teamsOn } from '../../tests/harness/teams.ts'
import { createClock } from '../platform/clock.ts'
import { findWaitingRoles } from './find-waiting-roles.ts'
import { invitePerson } from './invite-person.ts'
import { STAFF } from './person.ts'

// An administrator shuts an owner out alone. The merchant learns of it, and a new owner needs two other administrators.

let db: TestDatabase
let deps: { sql: TestDatabase['sql']; clock: ReturnType<typeof createClock> }
before(async () => {
  db = await openTestDatabase()
  deps = { sql: db.sql, clock: createClock() }
})
after(() => db[Symbol.asyncDispose]())

const { invite, member, newTeam } = teamsOn(() => db.sql)

/** The notices about the owners of a merchant, each with its recipients in the order of their addresses. */
const told = async (merchant_id: number) => {
  const rows = await db.sql<{ name: string; to: string[] }[]>`
    select payload ->> 'name' as name, payload -> 'to' as "to"
      from jobs
     where kind = 'address-notice' and payload ->> 'name' like 'owner%'
       and (payload -> 'about' ->> 'merchant_id')::bigint = ${merchant_id}
     order by run_at, id`
  return rows.map(({ name, to }) => `${name}: ${to.toSorted().join(' ')}`).toSorted()
}

test('the administrator who disabled the owner does not confirm a new one, and the former owner hears of it', async () => {
  const rose = await member('rose', ['administrator'])
  const yves = await member('yves', ['administrator'])
  const kofi = await member('kofi', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  assert.equal((await disablePerson(deps, owner.person_id, rose.as)).kind, 'disabled')
  assert.deepEqual(await told(merchant_id), [`owner_disabled: ${approver.email}`])
  assert.equal((await disablePerson(deps, approver.person_id, rose.as)).kind, 'disabled')

  const email = newAddress('new')
  const invited = await invitePerson(deps, { email, merchant_id, roles: ['owner'] }, yves.as)
  assert.ok(invited.kind === 'invited')
  const key = { person_id: invited.person_id, merchant_id, role: 'owner' }
  const shownTo = async ({ as }: { as: { person: string } }) =>
    (await findWaitingRoles(db.sql, as.person)).some((role) => role.person_id === invited.person_id)
  assert.deepEqual([await shownTo(rose), await shownTo(yves), await shownTo(kofi)], [false, false, true])
  const loud = { ...rose.as, person: rose.email.toUpperCase() }
  for (const by of [rose.as, loud])
    assert.deepEqual(await confirmForMerchant(deps, key, by), { kind: 'refused', code: 'shut_out_owner' })
  assert.deepEqual(await confirmForMerchant(deps, key, yves.as), { kind: 'refused', code: 'same_person' })
  assert.deepEqual(await confirmForMerchant(deps, key, kofi.as), { kind: 'confirmed' })
  assert.deepEqual(await told(merchant_id), [
    `owner_confirmed: ${owner.email}`,
    `owner_disabled: ${approver.email}`,
    `owner_given: ${owner.email}`,
  ])
})

test('a first owner of a new merchant needs two administrators and tells nobody', async () => {
  const rose = await member('rose', ['administrator'], STAFF)
  const yves = await member('yves', ['administrator'], STAFF)
  const { merchant_id, owner, approver } = await newTeam()
  await db.sql`delete from person_roles where person_id in (${owner.person_id}, ${approver.person_id})`
  const invited = await invitePerson(deps, { email: newAddress('first'), merchant_id, roles: ['owner'] }, rose.as)
  assert.ok(invited.kind === 'invited')
  const key = { person_id: invited.person_id, merchant_id, role: 'owner' }
  assert.deepEqual(await confirmForMerchant(deps, key, yves.as), { kind: 'confirmed' })
  assert.deepEqual(await told(merchant_id), [])
})

test('an administrator who reset the owner does not confirm a new one until that owner is back', async () => {
  const rose = await member('rose', ['administrator'])
  const yves = await member('yves', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  await db.sql`delete from person_roles where person_id = ${approver.person_id}`
  assert.equal((await resetPerson(deps, owner.person_id, STAFF, rose.as)).kind, 'reset')

  const invited = await invite(newAddress('new'), ['owner'], merchant_id, yves.as)
  const key = { person_id: invited.person_id, merchant_id, role: 'owner' }
  const refused = { kind: 'refused', code: 'shut_out_owner' }
  assert.deepEqual(await confirmForMerchant(deps, key, rose.as), refused)
  assert.deepEqual(await told(merchant_id), [`owner_given: ${owner.email}`])

  const back = { person_id: owner.person_id, merchant_id, role: 'owner' }
  assert.deepEqual(await confirmForMerchant(deps, back, yves.as), { kind: 'confirmed' })
  assert.deepEqual(await confirmForMerchant(deps, key, rose.as), refused, 'confirmed, and not signed in yet')
  await db.sql`update persons set status = 'active' where person_id = ${owner.person_id}`
  // Nobody else of the merchant than the owner who is back can confirm now.
  assert.deepEqual(await confirmForMerchant(deps, key, rose.as), { kind: 'refused', code: 'team_confirms' })
})

test('an administrator who is also the merchant’s approver confirms no new owner after disabling one', async () => {
  const yves = await member('yves', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  await invite(approver.email, ['administrator'])
  assert.equal((await disablePerson(deps, owner.person_id, approver.as)).kind, 'disabled')
  const invited = await invite(newAddress('new'), ['owner'], merchant_id, yves.as)
  const key = { person_id: invited.person_id, merchant_id, role: 'owner' }
  assert.deepEqual(await confirmRole(deps, key, approver.as), { kind: 'refused', code: 'shut_out_owner' })
})

test('an administrator who is also the merchant’s approver confirms a new owner once the one they reset is back', async () => {
  const yves = await member('yves', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  await invite(approver.email, ['administrator'])
  assert.equal((await resetPerson(deps, owner.person_id, STAFF, approver.as)).kind, 'reset')
  const invited = await invite(newAddress('new'), ['owner'], merchant_id, yves.as)
  const key = { person_id: invited.person_id, merchant_id, role: 'owner' }
  assert.deepEqual(await confirmRole(deps, key, approver.as), { kind: 'refused', code: 'shut_out_owner' })
  assert.deepEqual(await confirmRole(deps, { ...key, person_id: owner.person_id }, yves.as), { kind: 'confirmed' })
  await db.sql`update persons set status = 'active' where person_id = ${owner.person_id}`
  assert.deepEqual(await confirmRole(deps, key, approver.as), { kind: 'confirmed' })
})

test('the merchant hears of an owner from an administrator who also has a role there', async () => {
  const rose = await member('rose', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  await invite(rose.email, ['viewer'], merchant_id)
  await invite(newAddress('new'), ['owner'], merchant_id, rose.as)
  assert.deepEqual(await told(merchant_id), [`owner_given: ${[approver.email, owner.email].toSorted().join(' ')}`])
  const [notice] = await db.sql`
    select payload -> 'except' as except from jobs
     where payload ->> 'name' = 'owner_given' and (payload -> 'about' ->> 'merchant_id')::bigint = ${merchant_id}`
  assert.deepEqual(notice, { except: [rose.email] })
})

test('a new owner is not told of themselves, and a former owner not of those who are shut out later', async () => {
  const rose = await member('rose', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  const second = await member('salif', ['owner'], merchant_id)
  await invite(approver.email, ['owner'], merchant_id, rose.as)
  const given = [approver, second].map((one) => `owner_given: ${[owner.email, one.email].toSorted().join(' ')}`).sort()
  assert.deepEqual(await told(merchant_id), given)
  assert.equal((await disablePerson(deps, owner.person_id, rose.as)).kind, 'disabled')
  assert.equal((await disablePerson(deps, second.person_id, rose.as)).kind, 'disabled')
  assert.deepEqual(await told(merchant_id), [
    `owner_disabled: ${approver.email}`,
    `owner_disabled: ${[approver.email, second.email].toSorted().join(' ')}`,
    ...given,
  ])
})

test('an administrator does not confirm a new owner in the moment in which they disable the one who could', async () => {
  const rose = await member('rose', ['administrator'])
  const yves = await member('yves', ['administrator'])
  const outcomes = new Set<string>()
  for (let round = 0; round < 60; round += 1) {
    const { merchant_id, owner, approver } = await newTeam()
    await db.sql`delete from person_roles where person_id = ${approver.person_id}`
    const { person_id } = await invite(newAddress('new'), ['owner'], merchant_id, yves.as)
    const key = { person_id, merchant_id, role: 'owner' }
    const confirming = Array.from({ length: 8 }, () => confirmForMerchant(deps, key, rose.as))
    const [disabled, ...confirmed] = await Promise.all([disablePerson(deps, owner.person_id, rose.as), ...confirming])
    assert.equal(disabled.kind, 'disabled')
    for (const one of confirmed) outcomes.add(one.kind === 'refused' ? one.code : one.kind)
  }
  assert.deepEqual(
    [...outcomes].filter((one) => !['team_confirms', 'shut_out_owner'].includes(one)),
    [],
  )
})

test('ninety days after the administrator disabled the owner, they confirm a new one, and the former owner is not told', async () => {
  const rose = await member('rose', ['administrator'])
  const yves = await member('yves', ['administrator'])
  const { merchant_id, owner, approver } = await newTeam()
  for (const one of [owner, approver])
    assert.equal((await disablePerson(deps, one.person_id, rose.as)).kind, 'disabled')
  await db.moveClock('89 days')
  const { person_id } = await invite(newAddress('new'), ['owner'], merchant_id, yves.as)
  const key = { person_id, merchant_id, role: 'owner' }
  assert.deepEqual(await confirmForMerchant(deps, key, rose.as), { kind: 'refused', code: 'shut_out_owner' })
  await db.moveClock('91 days')
  assert.deepEqual(await confirmForMerchant(deps, key, rose.as), { kind: 'confirmed' })
  assert.deepEqual(await told(merchant_id), [`owner_disabled: ${approver.email}`, `owner_given: ${owner.email}`])
})
