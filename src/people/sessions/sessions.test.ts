import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { browserAt, movePeopleClock, newPerson, peopleDeps } from '../../../tests/harness/people.ts'
import { disablePerson, removeRole, resetPerson } from '../../../tests/harness/people-acts.ts'
import { sha256 } from '../../platform/digest.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { invitePerson } from '../invite-person.ts'
import { endOtherSessions, endSession, endSessionOf } from './end-session.ts'
import { listSessions } from './list-sessions.ts'
import { readSession } from './read-session.ts'

const HOST = actor('host:root')

let db: TestDatabase
let deps: FactorDeps
let merchant_id: number
before(async () => {
  db = await openTestDatabase()
  deps = peopleDeps(db.sql)
  merchant_id = await createMerchant(db.sql, 'Boutique Koné')
})
after(() => db[Symbol.asyncDispose]())

async function endReasonOf(token: string): Promise<string | null> {
  const [row] = await db.sql`select end_reason from person_sessions where token_hash = ${sha256(token)}`
  return row!.end_reason
}

test('a session says who it is and what they may do, and only the hash of its token is kept', async () => {
  const awa = await newPerson(deps, { merchant_id, roles: ['developer', 'viewer'], staff_roles: ['support'] })
  const session = await awa.session()
  assert.deepEqual(session.person, { person_id: awa.person_id, email: awa.email, name: 'Awa', language: 'fr' })
  assert.deepEqual(session.memberships, [
    { merchant_id, merchant_name: 'Boutique Koné', roles: ['developer', 'viewer'] },
  ])
  assert.deepEqual(session.staff_roles, ['support'])
  assert.equal(session.factor, 'invitation')
  const [row] =
    await db.sql`select row_to_json(s)::text as text from person_sessions s where session_id = ${session.session_id}`
  assert.ok(!row!.text.includes(awa.token))
})

test('an invalid token opens nothing', async () => {
  for (const token of ['', 'x', 'a'.repeat(43), `${'a'.repeat(42)}\0`, "' or true --".padEnd(43, 'x')]) {
    assert.equal(await readSession(deps, token), null)
  }
})

test('a role counts from the next request on, and one that waits for a second person does not', async () => {
  const owner = await newPerson(deps, { merchant_id })
  const issa = await newPerson(deps, { merchant_id, roles: ['accountant'] })
  const by = { person: owner.email, door: 'console', from: '192.0.2.1', step_up_id: null } as const
  await invitePerson(deps, { email: issa.email, merchant_id, roles: ['maker', 'viewer'] }, by)
  assert.deepEqual((await issa.session()).memberships[0]?.roles, ['accountant', 'viewer'])
  await removeRole(deps, { person_id: issa.person_id, merchant_id, role: 'viewer' }, by)
  assert.equal(await readSession(deps, issa.token), null)
  assert.equal(await endReasonOf(issa.token), 'rights_changed')
  assert.deepEqual((await readSession(deps, await issa.signIn()))?.memberships[0]?.roles, ['accountant'])
})

test('a session ends when it is signed out, and the others stay', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const second = await awa.signIn()
  const session = await awa.session()
  await endSession(deps, session, browserAt('192.0.2.9'))
  await endSession(deps, session, browserAt('192.0.2.9'))
  assert.equal(await readSession(deps, awa.token), null)
  assert.equal(await endReasonOf(awa.token), 'signed_out')
  assert.ok(await readSession(deps, second))
  const { session_id: subject } = session
  assert.deepEqual(await endsOf(awa.email), [{ subject, reason: 'signed_out', from: '192.0.2.9' }])
})

/** The lines of sessions that a person ended. */
async function endsOf(email: string): Promise<object[]> {
  const lines = await db.sql`
    select subject, after->>'reason' as reason, host(from_address) as from
      from audit_log
     where actor = ${email} and act = 'session.end'
     order by at, id`
  return [...lines]
}

test('a browser that signs in again has one session, whoever it was signed in as before', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const issa = await newPerson(deps, { merchant_id })
  const { session_id: subject } = await awa.session()
  const elsewhere = await awa.signIn()
  const token = await issa.signIn({ ...browserAt(), former: awa.token })
  assert.equal(await readSession(deps, awa.token), null)
  assert.equal(await endReasonOf(awa.token), 'signed_in_again')
  assert.ok((await readSession(deps, elsewhere)) && (await readSession(deps, token)))
  assert.deepEqual(await endsOf(issa.email), [{ subject, reason: 'signed_in_again', from: '192.0.2.1' }])
  await issa.signIn({ ...browserAt(), former: awa.token })
  assert.equal((await endsOf(issa.email)).length, 1, 'it had ended already')
})

test('sessions are listed to their person and ended from elsewhere, one or all', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const other = await awa.signIn(browserAt('2001:db8::7'))
  const session = await awa.session()
  const listed = await listSessions(deps, awa.person_id)
  assert.deepEqual(
    listed.map(({ address, factor, user_agent }) => [address, factor, user_agent]),
    [
      ['2001:db8::7', 'totp', 'Firefox on a test'],
      ['192.0.2.1', 'invitation', 'Firefox on a test'],
    ],
  )
  const from = browserAt('198.51.100.2')
  const device = (session_id: string) => deps.sql`
    insert into push_devices (id, person_id, address_hash, sealed, name, session_id, service)
    values (gen_random_uuid(), ${awa.person_id}, sha256(${session_id}::text::bytea), '', '?', ${session_id}, 'other')`
  const devices = async () => {
    const rows = await deps.sql<{ session_id: string }[]>`
      select session_id from push_devices where person_id = ${awa.person_id}`
    return rows.map(({ session_id }) => session_id)
  }
  await device(session.session_id)
  await device(listed[0]!.session_id)
  const end = (session_id: string) => endSessionOf(deps, session, session_id, from)
  assert.deepEqual(await end(listed[0]!.session_id), { kind: 'ended' })
  assert.equal(await readSession(deps, other), null)
  assert.deepEqual(await devices(), [session.session_id], 'its device has gone with it')
  const unknown = { kind: 'refused', code: 'session_not_found' }
  assert.deepEqual(await end(listed[0]!.session_id), unknown, 'it has ended already')
  const issa = await newPerson(deps, { merchant_id })
  const theirs = (await issa.session()).session_id
  assert.deepEqual(await end(theirs), unknown, "somebody else's is unknown")
  const third = await awa.signIn()
  const { session_id: last } = (await readSession(deps, third))!
  await device(last)
  assert.equal(await endOtherSessions(deps, session, from), 1)
  assert.deepEqual(await devices(), [session.session_id])
  assert.equal(await readSession(deps, third), null)
  assert.equal(await endReasonOf(third), 'ended_elsewhere')
  assert.ok(await readSession(deps, awa.token))
  assert.ok(await readSession(deps, issa.token))
  assert.deepEqual(
    await endsOf(awa.email),
    [listed[0]!.session_id, last].map((subject) => ({ subject, reason: 'ended_elsewhere', from: from.address })),
  )
})

test('a person who is disabled or reset is out at the next request', async () => {
  const awa = await newPerson(deps, { merchant_id, roles: ['viewer'] })
  await disablePerson(deps, awa.person_id, HOST)
  assert.equal(await readSession(deps, awa.token), null)
  assert.equal(await endReasonOf(awa.token), 'person_disabled')
  const issa = await newPerson(deps, { merchant_id, roles: ['viewer'] })
  await resetPerson(deps, issa.person_id, merchant_id, HOST)
  assert.equal(await readSession(deps, issa.token), null)
  assert.equal(await endReasonOf(issa.token), 'factors_changed')
})

test('a session of a disabled person ends itself, when nothing else has ended it', async () => {
  const awa = await newPerson(deps, { merchant_id, roles: ['viewer'] })
  await db.sql`update persons set status = 'disabled' where person_id = ${awa.person_id}`
  assert.equal(await readSession(deps, awa.token), null)
  assert.equal(await endReasonOf(awa.token), 'person_disabled')
})

test('an idle session ends, one that is used goes on, and an old one ends however it is used', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const at = (minutes: number) => movePeopleClock(own, there.clock, minutes * 60)
  const merchant = await createMerchant(own.sql, 'Maquis')
  const member = await newPerson(there, { merchant_id: merchant })
  const staff = await newPerson(there, { staff_roles: ['support'] })
  const reasons = async () => {
    const rows = await own.sql`select person_id, end_reason from person_sessions`
    return [member, staff].map(({ person_id }) => rows.find((row) => row.person_id === person_id)?.end_reason)
  }
  await at(16)
  assert.equal(await readSession(there, staff.token), null)
  assert.ok(await readSession(there, member.token))
  assert.deepEqual(await reasons(), [null, 'idle'])
  for (let minutes = 40; minutes < 720; minutes += 25) {
    await at(minutes)
    assert.ok(await readSession(there, member.token), `after ${minutes} minutes`)
  }
  await at(721)
  assert.equal(await readSession(there, member.token), null)
  assert.deepEqual(await reasons(), ['too_old', 'idle'])
})

test('a request is written down once a minute', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const merchant = await createMerchant(own.sql, 'Maquis')
  const { token } = await newPerson(there, { merchant_id: merchant })
  const seen = async () => (await own.sql`select seen_at from person_sessions`)[0]!.seen_at as Date
  const first = await seen()
  await readSession(there, token)
  assert.deepEqual(await seen(), first)
  await movePeopleClock(own, there.clock, 65)
  await readSession(there, token, 'console', false)
  assert.deepEqual(await seen(), first, 'a page that looks by itself keeps no session open')
  await readSession(there, token)
  const second = await seen()
  assert.ok(second > first)
  await readSession(there, token)
  assert.deepEqual(await seen(), second)
})
