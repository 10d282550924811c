import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { peopleDeps, type TestPerson, takeUp } from '../../tests/harness/people.ts'
import { confirmRole, resetPerson } from '../../tests/harness/people-acts.ts'
import { newAddress, teamsOn } from '../../tests/harness/teams.ts'
import { createClock } from '../platform/clock.ts'
import { merchantRoles, rolesToConfirm, staffRoles } from '../values/rights.ts'
import { acceptOffer } from './answer-offer.ts'
import { findMembers } from './find-persons.ts'
import { type Invitation, invitePerson } from './invite-person.ts'
import { STAFF } from './person.ts'
import { readRights } from './read-rights.ts'

// An e-mail address proves nobody: its account is known to the place whose link opened it, and to no other. Tried over every role at every
// place, whoever opened the account.

let db: TestDatabase
let deps: { sql: TestDatabase['sql']; clock: ReturnType<typeof createClock> }
before(async () => {
  db = await openTestDatabase()
  deps = { sql: db.sql, clock: createClock() }
})
after(() => db[Symbol.asyncDispose]())

const { member, newTeam } = teamsOn(() => db.sql)

type Role = Invitation['roles'][number]
type Team = Awaited<ReturnType<typeof newTeam>>

/** The people of a place: its inviter, and the second person who confirms. */
async function placeOf(team: Team | null) {
  if (team !== null) return { merchant_id: team.merchant_id, inviter: team.owner.as, second: team.approver.as }
  const [inviter, second] = [await member('ada', ['administrator']), await member('eve', ['administrator'])]
  return { merchant_id: STAFF, inviter: inviter.as, second: second.as }
}

/** Opens an account by the link of a place, as its inviter can, too. */
async function opened(place: Awaited<ReturnType<typeof placeOf>>): Promise<TestPerson> {
  const email = newAddress('aicha')
  const role: Role = place.merchant_id === STAFF ? 'support' : 'viewer'
  const invited = await invitePerson(deps, { email, merchant_id: place.merchant_id, roles: [role] }, place.inviter)
  assert.ok(invited.kind === 'invited')
  return takeUp(peopleDeps(db.sql), { link: invited.link!.token.reveal(), email })
}

const rightsAt = async (email: string, merchant_id: number) => {
  const { merchant, staff } = await readRights(db.sql, email, merchant_id)
  return merchant_id === STAFF ? staff.size : merchant.size
}

for (const opener of ['a merchant', 'the staff'] as const) {
  for (const role of [...merchantRoles, ...staffRoles]) {
    const at = (staffRoles as readonly string[]).includes(role) ? 'the staff' : 'another merchant'
    if (opener === 'the staff' && at === 'the staff') continue
    test(`${role} of ${at}, for an account that ${opener} opened, waits for a second person with its code`, async () => {
      const openedBy = await placeOf(opener === 'a merchant' ? await newTeam() : null)
      const giver = await placeOf(at === 'the staff' ? null : await newTeam())
      const { merchant_id } = giver
      const squatter = await opened(openedBy)
      const { email, person_id } = squatter
      const key = { person_id, merchant_id, role }
      const given = await invitePerson(deps, { email, merchant_id, roles: [role] }, giver.inviter)
      if (at === 'the staff') {
        assert.deepEqual(given, { kind: 'refused', code: 'account_unproven' })
        const reset = await resetPerson(deps, person_id, STAFF, giver.inviter)
        assert.ok(reset.kind === 'reset')
        assert.equal((await invitePerson(deps, { email, merchant_id, roles: [role] }, giver.inviter)).kind, 'invited')
        return
      }
      assert.ok(given.kind === 'invited' && given.link !== null)
      // A confirmation before the person has accepted compared nothing.
      if (rolesToConfirm.has(role)) assert.equal((await confirmRole(deps, key, giver.second)).kind, 'confirmed')
      const session = await squatter.session()
      assert.deepEqual(await acceptOffer(deps, { session, merchant_id, address: '192.0.2.7' }), { kind: 'accepted' })
      assert.equal(await rightsAt(email, merchant_id), 0)
      for (const by of [giver.inviter, openedBy.inviter, squatter.email].map((one) =>
        typeof one === 'string' ? { ...giver.second, person: one } : one,
      ))
        assert.deepEqual(await confirmRole(deps, key, by), { kind: 'refused', code: 'same_person' })
      const shown = (await findMembers(db.sql, merchant_id)).find((one) => one.person_id === person_id)!
      assert.match(shown.account_code!, /^[A-Z]{4}-[A-Z]{4}$/)
      assert.equal((await confirmRole(deps, key, giver.second)).kind, 'confirmed')
      assert.ok((await rightsAt(email, merchant_id)) > 0)
      const more = await invitePerson(deps, { email, merchant_id, roles: merchantRoles }, giver.inviter)
      assert.ok(more.kind === 'invited' && more.link === null)
      const waiting = await db.sql`
        select role from person_roles where person_id = ${person_id} and merchant_id = ${merchant_id} and not in_effect`
      assert.equal(waiting.length, merchantRoles.length - 1, 'nor does any role more count at once')
    })
  }
}

for (const resetBy of ['an owner', 'an administrator'] as const) {
  test(`after a reset by ${resetBy} every role waits for a second person who did not make the link`, async () => {
    const team = await newTeam()
    const { merchant_id, owner, approver } = team
    const administrator = await member('ada', ['administrator'])
    const by = resetBy === 'an owner' ? owner : administrator
    const person = await member('koffi', [...merchantRoles], merchant_id)
    const place = resetBy === 'an owner' ? merchant_id : STAFF
    if (place === STAFF) await member('sos', ['owner'], merchant_id)
    const reset = await resetPerson(deps, person.person_id, place, by.as)
    assert.ok(reset.kind === 'reset', JSON.stringify(reset))
    await takeUp(peopleDeps(db.sql), { link: reset.link.token.reveal(), email: person.email })
    assert.equal(await rightsAt(person.email, merchant_id), 0)
    for (const role of merchantRoles) {
      const key = { person_id: person.person_id, merchant_id, role }
      assert.deepEqual(await confirmRole(deps, key, by.as), { kind: 'refused', code: 'same_person' }, role)
      assert.equal((await confirmRole(deps, key, approver.as)).kind, 'confirmed', role)
    }
  })
}

for (const role of merchantRoles) {
  test(`an administrator who gives a merchant’s new person ${role} does not thereby become that person alone`, async () => {
    const { merchant_id, approver } = await newTeam()
    const administrator = await member('ada', ['administrator'])
    const email = newAddress('puppet')
    const invited = await invitePerson(deps, { email, merchant_id, roles: [role] }, administrator.as)
    assert.ok(invited.kind === 'invited')
    await takeUp(peopleDeps(db.sql), { link: invited.link!.token.reveal(), email })
    assert.equal(await rightsAt(email, merchant_id), 0)
    const key = { person_id: invited.person_id, merchant_id, role }
    assert.deepEqual(await confirmRole(deps, key, administrator.as), { kind: 'refused', code: 'same_person' })
    assert.equal((await confirmRole(deps, key, approver.as)).kind, 'confirmed')
    assert.ok((await rightsAt(email, merchant_id)) > 0)
  })
}

test('the answer to an invitation and the team’s page are the same for a new address and one with an account', async () => {
  const first = await placeOf(await newTeam())
  const known = await opened(first)
  const invitedElsewhere = newAddress('elsewhere')
  await invitePerson(
    deps,
    { email: invitedElsewhere, merchant_id: first.merchant_id, roles: ['viewer'] },
    first.inviter,
  )
  for (const roles of [['viewer'], ['owner'], ['viewer', 'maker', 'developer']] as const) {
    const seen: unknown[] = []
    for (const email of [newAddress('new'), known.email, invitedElsewhere]) {
      const { merchant_id, inviter } = await placeOf(await newTeam())
      const { kind, link, added } = (await invitePerson(
        deps,
        { email, name: 'Aicha Kone', merchant_id, roles },
        inviter,
      )) as Extract<Awaited<ReturnType<typeof invitePerson>>, { kind: 'invited' }>
      const shown = (await findMembers(db.sql, merchant_id)).find((one) => one.email === email)!
      const hide = (text: string) => text.replaceAll(email, '?')
      const page = {
        ...shown,
        ...{ person_id: '?', email: '?', name: hide(shown.name), link_until: shown.link_until !== null },
        roles: shown.roles.map((one) => ({ ...one, granted_at: '?', granted_by: '?' })),
      }
      const hours = Math.round((link!.expires_at.getTime() - Date.now()) / 3_600_000)
      seen.push({ kind, added, staff: link!.staff, length: link!.token.reveal().length, hours, page })
    }
    assert.deepEqual(seen[1], seen[0])
    assert.deepEqual(seen[2], seen[0])
  }
})

test('the database lets no role count at an account that another place opened without a second person', async () => {
  const squatter = await opened(await placeOf(await newTeam()))
  const { merchant_id, owner } = await newTeam()
  for (const role of ['viewer', 'support'] as const) {
    const at = role === 'support' ? STAFF : merchant_id
    await assert.rejects(
      db.sql`
        insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation)
        values (${squatter.person_id}, ${at}, ${role}, ${owner.email}, false)`,
      /person_roles_known_account/,
    )
  }
})
