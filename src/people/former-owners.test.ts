import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { newAddress, teamsOn } from '../../tests/harness/teams.ts'
import { createClock } from '../platform/clock.ts'
import { confirmForMerchant } from './confirm-role.ts'
import { disablePerson } from './disable-person.ts'
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

const { member, newTeam } = teamsOn(() => db.sql)

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
  for (const by of [rose, yves])
    assert.deepEqual(await confirmForMerchant(deps, key, by.as), { kind: 'refused', code: 'same_person' })
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
