import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { HOST, peopleDeps, takeUp } from '../../tests/harness/people.ts'
import { confirmRole, disablePerson, removeRole, resetPerson } from '../../tests/harness/people-acts.ts'
import { newAddress, seated, teamsOn } from '../../tests/harness/teams.ts'
import { createClock } from '../platform/clock.ts'
import { sha256 } from '../platform/digest.ts'
import type { Actor } from '../values/actor.ts'
import { rolesToConfirm } from '../values/rights.ts'
import { findMembers } from './find-persons.ts'
import { inviteFirstAdministrator } from './invite-first-administrator.ts'
import { type Invitation, invitePerson } from './invite-person.ts'
import { STAFF } from './person.ts'
import { openInvitation } from './sign-in/accept-invitation.ts'
import { personTransitions } from './states.ts'

// Roles are given, confirmed and taken away by people in the console; a break-glass command is the way in.

let db: TestDatabase
let deps: { sql: TestDatabase['sql']; clock: ReturnType<typeof createClock> }
before(async () => {
  db = await openTestDatabase()
  deps = { sql: db.sql, clock: createClock() }
})
after(() => db[Symbol.asyncDispose]())

const { invite, member, newTeam, rightsAt, roleOf } = teamsOn(() => db.sql)

test('a role that moves money counts only once a second person has confirmed it', async () => {
  const { merchant_id, owner, approver } = await newTeam()
  const maker = await member('koffi', ['maker', 'viewer'], merchant_id, owner.as)
  const key = { person_id: maker.person_id, merchant_id, role: 'maker' }
  assert.ok((await rightsAt(maker.email, merchant_id)).has('payouts.read'))
  assert.ok(!(await rightsAt(maker.email, merchant_id)).has('payouts.make'))
  const wrong = { kind: 'refused', code: 'same_person' }
  assert.deepEqual(await confirmRole(deps, key, owner.as), wrong)
  assert.deepEqual(await confirmRole(deps, key, maker.as), wrong)
  assert.deepEqual(await confirmRole(deps, key, seated(` ${owner.email.toUpperCase()}`)), wrong)
  assert.deepEqual(await confirmRole(deps, key, approver.as), { kind: 'confirmed' })
  assert.ok((await rightsAt(maker.email, merchant_id)).has('payouts.make'))
  assert.deepEqual(
    await confirmRole(deps, key, approver.as),
    { kind: 'confirmed' },
    'a repetition is the same decision',
  )
  assert.deepEqual(await confirmRole(deps, key, owner.as), { kind: 'refused', code: 'already_confirmed' })
  const unknown = await confirmRole(deps, { ...key, role: 'owner' }, approver.as)
  assert.deepEqual(unknown, { kind: 'refused', code: 'resource_not_found' })
})

test('a break-glass command grants at once, and the line says through which door', async () => {
  const { merchant_id } = await newTeam()
  const { person_id, email } = await member('yao', ['owner'], merchant_id)
  assert.ok((await rightsAt(email, merchant_id)).has('team.manage'))
  const [line] = await db.sql`select door, actor, after from audit_log where subject = ${person_id}`
  assert.deepEqual(line, {
    door: 'break_glass',
    actor: HOST.person,
    after: { email, roles: ['owner'], with_link: true },
  })
})

test('people grant only rights that they have, except managers of people for the service', async () => {
  const { merchant_id, owner, approver } = await newTeam()
  const other = await newTeam()
  const administrator = await member('ada', ['administrator'])
  const wish = (by: Actor, roles: Invitation['roles'], where: number) =>
    invitePerson(deps, { email: newAddress('new'), roles, merchant_id: where }, by)
  const beyond = { kind: 'refused', code: 'beyond_own_rights' }
  assert.deepEqual(await wish(approver.as, ['maker'], merchant_id), beyond)
  assert.deepEqual(await wish(owner.as, ['viewer'], other.merchant_id), beyond)
  assert.deepEqual(await wish(owner.as, ['support'], STAFF), beyond)
  assert.deepEqual(await wish(seated('nobody@example.com'), ['viewer'], merchant_id), beyond)
  assert.equal((await wish(administrator.as, ['finance'], STAFF)).kind, 'invited')
  assert.equal((await wish(administrator.as, ['owner'], merchant_id)).kind, 'invited')
})

test('an invitation is refused for oneself, and for an invalid address, role or merchant', async () => {
  const { merchant_id, owner } = await newTeam()
  const usual: Invitation = { email: 'new@example.com', roles: ['viewer'], merchant_id }
  const refusals: [Partial<Invitation>, string][] = [
    [{ email: 'nobody' }, 'invalid_email'],
    [{ email: 'key:K1@example.com' }, 'invalid_email'],
    [{ name: '\u0007' }, 'invalid_name'],
    [{ roles: [] }, 'invalid_role'],
    [{ roles: ['finance'] }, 'invalid_role'],
    [{ email: owner.email.toUpperCase() }, 'same_person'],
    [{ merchant_id: 987_654 }, 'resource_not_found'],
  ]
  for (const [more, code] of refusals) {
    const by = code === 'resource_not_found' ? HOST : owner.as
    assert.deepEqual(await invitePerson(deps, { ...usual, ...more }, by), { kind: 'refused', code })
  }
})

test('a link is for one use, of which the database has only the digest; a new one ends the one before', async () => {
  const email = newAddress('link')
  const first = await invite(email, ['support'])
  const second = await invite(email, ['support'])
  assert.equal(first.person_id, second.person_id)
  assert.deepEqual(second.added, [])
  const open = await db.sql<{ token_hash: Buffer; hours: number }[]>`
    select token_hash, round(extract(epoch from expires_at - created_at) / 3600)::integer as hours
      from invitations
     where person_id = ${first.person_id} and used_at is null and revoked_at is null`
  assert.deepEqual(open, [{ token_hash: sha256(second.link!.token.reveal()), hours: 72 }])
  assert.notEqual(first.link!.token.reveal(), second.link!.token.reveal())
  const { link } = await invite(newAddress('boss'), ['administrator'])
  assert.ok(link!.expires_at.getTime() - Date.now() < 3_660_000, 'an administrator’s link lasts an hour')
})

test('a person with an account gets a link that opens nothing, and no merchant’s link opens what others granted', async () => {
  const { merchant_id, owner } = await newTeam()
  const other = await newTeam()
  const active = await invite(other.owner.email, ['viewer'], merchant_id, owner.as)
  assert.deepEqual([active.link!.staff, active.added], [false, ['viewer']])
  const email = newAddress('shared')
  const { link } = await invite(email, ['maker'], other.merchant_id, other.owner.as)
  assert.notEqual(link, null)
  const offered = (await invite(email, ['viewer'], merchant_id, owner.as)).link!.token.reveal()
  const pages = peopleDeps(db.sql)
  for (const token of [offered, active.link!.token.reveal()]) {
    const opened = await openInvitation(pages, { token })
    assert.ok(opened.kind === 'open')
    assert.deepEqual(
      opened.roles.map((role) => [role.merchant_id, role.role]),
      [[merchant_id, 'viewer']],
    )
  }
  const shown = await openInvitation(pages, { token: link!.token.reveal() })
  assert.ok(shown.kind === 'open')
  assert.deepEqual(
    shown.roles.map((role) => [role.merchant_id, role.role]),
    [[other.merchant_id, 'maker']],
  )
  await takeUp(pages, { link: link!.token.reveal(), email })
  assert.equal((await rightsAt(email, merchant_id)).size, 0)
})

test('a reset takes sessions and factors, gives a link, and has money-moving roles confirmed anew', async () => {
  const { merchant_id, owner, approver } = await newTeam()
  const { person_id, email } = await member('koffi', ['maker'], merchant_id)
  const session = { token_hash: sha256(email), address: '192.0.2.9' }
  await db.sql`
    insert into person_sessions (session_id, token_hash, person_id, factor, address, user_agent)
    values (${`ses_${email}`}, ${session.token_hash}, ${person_id}, 'totp', ${session.address}, 'a test')`
  const reset = await resetPerson(deps, person_id, merchant_id, owner.as)
  assert.equal(reset.kind, 'reset')
  const [left] = await db.sql`
    select p.status, s.end_reason, (select count(*) from person_passwords w where w.person_id = p.person_id)::integer as passwords
      from persons p join person_sessions s on s.person_id = p.person_id
     where p.person_id = ${person_id}`
  assert.deepEqual(left, { status: 'invited', end_reason: 'factors_changed', passwords: 0 })
  const role = await roleOf(person_id, merchant_id, 'maker')
  assert.deepEqual([role!.counts, role!.granted_by, role!.confirmed_by], [false, owner.email, null])
  const key = { person_id, merchant_id, role: 'maker' }
  assert.deepEqual(await confirmRole(deps, key, owner.as), { kind: 'refused', code: 'same_person' })
  assert.equal((await confirmRole(deps, key, approver.as)).kind, 'confirmed')
})

test('the maker of a new link confirms no role of its holder, one that waited for a second person neither', async () => {
  const { merchant_id, owner, approver } = await newTeam()
  const second = await member('aya', ['owner'], merchant_id)
  const email = newAddress('koffi')
  const { person_id } = await invite(email, ['maker'], merchant_id, owner.as)
  assert.notEqual((await invite(email, ['maker'], merchant_id, second.as)).link, null)
  const key = { person_id, merchant_id, role: 'maker' }
  for (const maker of [second, owner])
    assert.deepEqual(await confirmRole(deps, key, maker.as), { kind: 'refused', code: 'same_person' })
  assert.equal((await confirmRole(deps, key, approver.as)).kind, 'confirmed')
})

test('a person cannot reset themselves, and a merchant resets only people without roles elsewhere', async () => {
  const { merchant_id, owner } = await newTeam()
  const other = await newTeam()
  const administrator = await member('ada', ['administrator'])
  await invite(other.owner.email, ['viewer'], merchant_id)
  await invite(other.approver.email, ['viewer'], merchant_id, owner.as)
  const code = async (person_id: string, where: number, by: Actor) => {
    const result = await resetPerson(deps, person_id, where, by)
    return result.kind === 'refused' ? result.code : result.kind
  }
  assert.equal(await code(owner.person_id, merchant_id, owner.as), 'same_person')
  assert.equal(await code(other.owner.person_id, merchant_id, owner.as), 'roles_elsewhere')
  assert.equal(await code(other.approver.person_id, merchant_id, owner.as), 'resource_not_found', 'not accepted yet')
  assert.equal(await code(other.approver.person_id, other.merchant_id, other.owner.as), 'reset', 'an offer is no role')
  assert.equal(await code(other.owner.person_id, STAFF, administrator.as), 'reset')
})

test('the last owner stays, also when two owners remove one another at once', async () => {
  const { merchant_id, owner } = await newTeam()
  const second = await member('aya', ['owner'], merchant_id)
  const remove = (person_id: string, by: Actor) => removeRole(deps, { person_id, merchant_id, role: 'owner' }, by)
  const results = await Promise.all([remove(owner.person_id, second.as), remove(second.person_id, owner.as)])
  assert.deepEqual(results.map((one) => (one.kind === 'refused' ? one.code : one.kind)).sort(), [
    'last_of_role',
    'removed',
  ])
  const owners = (await findMembers(db.sql, merchant_id)).filter(({ roles }) =>
    roles.some(({ role }) => role === 'owner'),
  )
  assert.equal(owners.length, 1)
})

test('an owner without factors, or under a reset, does not count as a remaining owner', async () => {
  const { merchant_id, owner } = await newTeam()
  const second = await member('aya', ['owner'], merchant_id)
  const third = await member('yao', ['owner'], merchant_id)
  assert.equal((await resetPerson(deps, second.person_id, merchant_id, owner.as)).kind, 'reset')
  await db.sql`delete from person_passwords where person_id = ${third.person_id}`
  const last = { kind: 'refused', code: 'last_of_role' }
  const key = { person_id: owner.person_id, merchant_id, role: 'owner' }
  assert.deepEqual(await resetPerson(deps, owner.person_id, merchant_id, third.as), last)
  assert.deepEqual(await removeRole(deps, key, third.as), last)
  await db.sql`
    insert into person_passkeys (credential_id, person_id, public_key, sign_count, name)
    values (${`key-${third.person_id}`}, ${third.person_id}, ${Buffer.of(0)}, 0, 'a key')`
  assert.deepEqual(await removeRole(deps, key, third.as), { kind: 'removed' }, 'a passkey alone signs in')
  const ada = await member('ada', ['administrator'])
  assert.equal(
    (await resetPerson(deps, third.person_id, STAFF, ada.as)).kind,
    'reset',
    'the service resets the last one',
  )
})

test('the last administrator who can sign in is reset and disabled by a command on the host alone', async () => {
  await using alone = await openTestDatabase()
  const there = { sql: alone.sql, clock: createClock() }
  const staff = teamsOn(() => alone.sql)
  const ada = await staff.member('ada', ['administrator'])
  await staff.invite(newAddress('ben'), ['administrator'])
  const last = { kind: 'refused', code: 'last_of_role' }
  const signedIn: Actor = { ...HOST, person: 'ben@example.com', door: 'command_line' }
  for (const by of [seated('ben@example.com'), signedIn]) {
    assert.deepEqual(await resetPerson(there, ada.person_id, STAFF, by), last)
    assert.deepEqual(await disablePerson(there, ada.person_id, by), last)
  }
  assert.equal((await resetPerson(there, ada.person_id, STAFF, HOST)).kind, 'reset')
  assert.equal((await disablePerson(there, ada.person_id, HOST)).kind, 'disabled')
})

test('a role that is taken away ends the sessions of its person', async () => {
  const { merchant_id, owner } = await newTeam()
  const { person_id, email } = await member('koffi', ['viewer', 'developer'], merchant_id)
  await db.sql`
    insert into person_sessions (session_id, token_hash, person_id, factor, address, user_agent)
    values (${`ses_${email}`}, ${sha256(email)}, ${person_id}, 'totp', '192.0.2.9', 'a test')`
  const key = { person_id, merchant_id, role: 'developer' }
  assert.deepEqual(await removeRole(deps, key, owner.as), { kind: 'removed' })
  assert.deepEqual(await removeRole(deps, key, owner.as), { kind: 'removed' }, 'a form that was sent twice')
  assert.ok(!(await rightsAt(email, merchant_id)).has('keys.manage'))
  const [session] = await db.sql`select end_reason from person_sessions where person_id = ${person_id}`
  assert.deepEqual(session, { end_reason: 'rights_changed' })
})

test('a disabled person has no right, role, link or factor, and gets none back when enabled', async () => {
  const { merchant_id, owner } = await newTeam()
  const administrator = await member('ada', ['administrator'])
  assert.deepEqual(await disablePerson(deps, administrator.person_id, administrator.as), {
    kind: 'refused',
    code: 'same_person',
  })
  const { person_id, email } = await member('koffi', ['maker', 'viewer'], merchant_id)
  assert.equal((await disablePerson(deps, person_id, administrator.as)).kind, 'disabled')
  assert.deepEqual(await disablePerson(deps, person_id, administrator.as), { kind: 'disabled', sessions_ended: 0 })
  assert.equal((await rightsAt(email, merchant_id)).size, 0)
  const again: Invitation = { email, roles: ['viewer'], merchant_id }
  assert.deepEqual(await invitePerson(deps, again, owner.as), { kind: 'refused', code: 'person_disabled' })
  await invite(email, ['viewer'], merchant_id, administrator.as)
  const team = await findMembers(db.sql, merchant_id)
  const back = team.find((one) => one.person_id === person_id)!
  assert.deepEqual([back.status, back.roles.map(({ role }) => role)], ['invited', ['viewer']])
  assert.notEqual(back.link_until, null)
})

test('a start gives no former administrator the role back, and logs that', async () => {
  await using alone = await openTestDatabase()
  const there = { sql: alone.sql, clock: createClock() }
  const wanted = { email: newAddress('yao'), merchant_id: STAFF, roles: ['administrator'] as const }
  assert.equal((await inviteFirstAdministrator(there)).kind, 'invited')
  const later = await invitePerson(there, wanted, HOST)
  assert.ok(later.kind === 'invited')
  await alone.sql`update persons set status = 'active', activated_at = clock_now()`
  const [first] = await findMembers(alone.sql, STAFF)
  assert.equal(first?.email, 'administrator@localhost')
  const key = { person_id: first.person_id, merchant_id: STAFF, role: 'administrator' }
  assert.deepEqual(await removeRole(there, key, seated(wanted.email)), { kind: 'removed' })
  assert.equal((await disablePerson(there, later.person_id, HOST)).kind, 'disabled')
  assert.deepEqual(await inviteFirstAdministrator(there), { kind: 'by_command' })
  assert.deepEqual(await findMembers(alone.sql, STAFF), [])
})

test('an administrator who waits for a second person administers nothing, so that a start gives the first link again', async () => {
  await using alone = await openTestDatabase()
  const there = { sql: alone.sql, clock: createClock() }
  const staff = teamsOn(() => alone.sql)
  const ada = await staff.member('ada', ['administrator'])
  await staff.member('ben', ['administrator'], STAFF, ada.as)
  assert.deepEqual(await inviteFirstAdministrator(there), { kind: 'has_administrator' })
  assert.equal((await disablePerson(there, ada.person_id, HOST)).kind, 'disabled')
  assert.equal((await inviteFirstAdministrator(there)).kind, 'invited')
})

test('the database refuses what the operations would never do', async () => {
  const { merchant_id, owner } = await newTeam()
  const { person_id, email } = await member('koffi', ['maker'], merchant_id, owner.as)
  const confirmed = (by: string) => db.sql`
    update person_roles set confirmed_by = ${by}, confirmed_at = clock_now() where person_id = ${person_id}`
  await assert.rejects(confirmed(` ${owner.email.toUpperCase()} `), /person_roles_two_people/)
  await assert.rejects(confirmed(email.toUpperCase()), /nobody gives themselves a role/)
  await assert.rejects(
    db.sql`update person_roles set granted_by = ${email} where person_id = ${person_id}`,
    /themselves/,
  )
  await db.sql`update persons set status = 'disabled' where person_id = ${person_id}`
  await assert.rejects(
    db.sql`update persons set status = 'active' where person_id = ${person_id}`,
    /after an invitation/,
  )
  const open = () => db.sql`
    insert into invitations (invitation_id, person_id, token_hash, invited_by, expires_at)
    values (${`inv_${Math.random()}`}, ${person_id}, ${sha256(String(Math.random()))}, 'x', clock_now())`
  await assert.rejects(open(), /invitations_open/)
  for (const role of rolesToConfirm) {
    const granted = db.sql`
      insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation)
      values (${person_id}, 77, ${role}, 'somebody', false)`
    await assert.rejects(granted, /person_roles_confirmed/, role)
  }
  const others = await db.sql`select distinct role from person_roles where not needs_confirmation and not break_glass`
  assert.ok(others.every(({ role }) => !rolesToConfirm.has(String(role))))
})

test('the database allows the moves of a person that the table of states has', async () => {
  const { person_id } = await member('koffi', ['support'])
  const statuses = ['invited', 'active', 'disabled'] as const
  for (const from of statuses) {
    for (const to of statuses.filter((one) => one !== from)) {
      await db.sql`update persons set status = 'invited' where person_id = ${person_id}`
      await db.sql`update persons set status = ${from} where person_id = ${person_id}`
      const moved = db.sql`update persons set status = ${to} where person_id = ${person_id}`
      const allowed = personTransitions.some((row) => row.from === from && row.to === to)
      if (allowed) await moved
      else await assert.rejects(moved, /after an invitation/, `${from} to ${to}`)
    }
  }
})
