import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { HOST, newPerson, peopleDeps, type TestPerson } from '../../tests/harness/people.ts'
import { confirmRole, disablePerson, removeRole, resetPerson } from '../../tests/harness/people-acts.ts'
import { newAddress, teamsOn } from '../../tests/harness/teams.ts'
import { acceptOffer, declineOffer, findOffers } from './answer-offer.ts'
import { findMembers } from './find-persons.ts'
import { findFormerOwners } from './former-owners.ts'

// Nobody is in a team against their will: a person with an account accepts the roles that a team gives them, or declines them.

let db: TestDatabase
let deps: ReturnType<typeof peopleDeps>
before(async () => {
  db = await openTestDatabase()
  deps = peopleDeps(db.sql)
})
after(() => db[Symbol.asyncDispose]())

const { invite, newTeam, rightsAt } = teamsOn(() => db.sql)
const nothing = { kind: 'refused', code: 'resource_not_found' }

/** A person of another team, with an account. */
async function newAwa(): Promise<TestPerson> {
  const { merchant_id } = await newTeam()
  return newPerson(deps, { merchant_id, roles: ['viewer'], name: 'Awa Koné' })
}

const answerOf = async (person: TestPerson, merchant_id: number) => ({
  session: await person.session(),
  merchant_id,
  address: '192.0.2.7',
})

test('a person with an account is in a team once they accept, and shows it only their address before', async () => {
  const awa = await newAwa()
  const { merchant_id, owner, approver } = await newTeam()
  await invite(awa.email, ['viewer', 'maker'], merchant_id, owner.as)
  const memberNow = async () => (await findMembers(db.sql, merchant_id)).find(({ email }) => email === awa.email)!
  const { name, status, seen_at, roles } = await memberNow()
  assert.deepEqual({ name, status, seen_at }, { name: awa.email.split('@')[0], status: 'invited', seen_at: null })
  assert.deepEqual(
    roles.map(({ role, to_confirm, to_accept }) => [role, to_confirm, to_accept]),
    [
      ['maker', true, false],
      ['viewer', false, false],
    ],
  )
  assert.equal((await rightsAt(awa.email, merchant_id)).size, 0)
  assert.equal((await awa.session()).memberships.length, 1)
  assert.equal((await awa.session()).has_offers, true)
  const key = { person_id: awa.person_id, merchant_id, role: 'maker' }
  assert.deepEqual(await confirmRole(deps, key, approver.as), { kind: 'confirmed' })
  assert.equal((await rightsAt(awa.email, merchant_id)).size, 0, 'a second person does not accept for them')
  const [offer] = await findOffers(db.sql, awa.person_id)
  assert.deepEqual(
    offer!.roles.map(({ role, granted_by }) => [role, granted_by]),
    [
      ['maker', owner.email],
      ['viewer', owner.email],
    ],
  )

  assert.deepEqual(await acceptOffer(deps, await answerOf(awa, merchant_id)), { kind: 'accepted' })
  assert.equal((await rightsAt(awa.email, merchant_id)).size, 0, 'nobody has compared the code of her account')
  const member = await memberNow()
  assert.deepEqual(
    [member.name, member.roles.map(({ role, to_confirm }) => [role, to_confirm])],
    [
      'Awa Koné',
      [
        ['maker', true],
        ['viewer', true],
      ],
    ],
  )
  assert.match(member.account_code!, /^[A-Z]{4}-[A-Z]{4}$/)
  for (const role of ['maker', 'viewer'])
    assert.equal((await confirmRole(deps, { ...key, role }, approver.as)).kind, 'confirmed')
  assert.ok((await rightsAt(awa.email, merchant_id)).has('payouts.make'))
  assert.equal((await awa.session()).has_offers, false)
  const lines = await db.sql`
    select actor, merchant_id::integer, host(from_address) as from_address, after -> 'roles' as roles
      from audit_log where act = 'person.accept_role' and subject = ${awa.person_id}`
  assert.deepEqual(
    [...lines],
    [{ actor: awa.email, merchant_id, from_address: '192.0.2.7', roles: ['maker', 'viewer'] }],
  )
})

test('a declined offer is gone, the people who made it are told, and of two answers at once one counts', async () => {
  const awa = await newAwa()
  const { merchant_id, owner } = await newTeam()
  await invite(awa.email, ['viewer', 'maker'], merchant_id, owner.as)
  const answer = await answerOf(awa, merchant_id)
  assert.deepEqual(await declineOffer(deps, answer), { kind: 'declined' })
  assert.deepEqual(await acceptOffer(deps, answer), nothing)
  assert.deepEqual((await findMembers(db.sql, merchant_id)).map(({ email }) => email).includes(awa.email), false)
  const notices = await db.sql`
    select payload -> 'to' as "to", payload -> 'facts' as facts from jobs
     where kind = 'address-notice' and payload ->> 'name' = 'role_declined'`
  assert.deepEqual([...notices], [{ to: [owner.email], facts: { role: 'maker,viewer', email: awa.email } }])

  await invite(awa.email, ['viewer'], merchant_id, owner.as)
  const answers = await Promise.all([acceptOffer(deps, answer), declineOffer(deps, answer)])
  assert.equal(answers.filter(({ kind }) => kind === 'refused').length, 1)
})

test('an offer that was taken back, of another team, or to another person cannot be accepted', async () => {
  const [awa, issa] = [await newAwa(), await newAwa()]
  const { merchant_id, owner } = await newTeam()
  const other = await newTeam()
  const { person_id } = awa
  await invite(awa.email, ['viewer'], merchant_id, owner.as)
  assert.deepEqual(await acceptOffer(deps, await answerOf(issa, merchant_id)), nothing)
  assert.deepEqual(await acceptOffer(deps, await answerOf(awa, other.merchant_id)), nothing)
  assert.deepEqual(await removeRole(deps, { person_id, merchant_id, role: 'viewer' }, owner.as), { kind: 'removed' })
  assert.deepEqual(await acceptOffer(deps, await answerOf(awa, merchant_id)), nothing)
})

test('a reset ends the offers of every team, so that the maker of its link accepts none of them', async () => {
  const own = await newTeam()
  const awa = await newPerson(deps, { merchant_id: own.merchant_id, roles: ['viewer'], name: 'Mariam' })
  const { merchant_id, owner, approver } = await newTeam()
  const key = { person_id: awa.person_id, merchant_id, role: 'maker' }
  await invite(awa.email, ['maker'], merchant_id, owner.as)
  assert.deepEqual(await confirmRole(deps, key, approver.as), { kind: 'confirmed' })
  const answer = await answerOf(awa, merchant_id)
  const reset = await resetPerson(deps, awa.person_id, own.merchant_id, own.owner.as)
  assert.ok(reset.kind === 'reset', 'an offer keeps no team from a reset')
  assert.deepEqual(await findOffers(db.sql, awa.person_id), [])
  // An offer while that link is open is beside it, and ends in the same way. A session from before the reset does not accept it.
  await invite(awa.email, ['maker'], merchant_id, owner.as)
  assert.deepEqual(await acceptOffer(deps, answer), nothing)
  assert.equal((await resetPerson(deps, awa.person_id, own.merchant_id, own.owner.as)).kind, 'reset')
  assert.deepEqual(await confirmRole(deps, key, approver.as), nothing)
})

test('a team reads nothing about a person whom the service disabled before they accepted', async () => {
  const awa = await newAwa()
  const { merchant_id, owner } = await newTeam()
  await invite(awa.email, ['owner'], merchant_id, owner.as)
  assert.equal((await disablePerson(deps, awa.person_id, HOST)).kind, 'disabled')
  assert.deepEqual(await findFormerOwners(db.sql, merchant_id), [])
})

test('a role more in the own team is not accepted anew, and the roles of a link and of a command on the host count at once', async () => {
  const { merchant_id, owner, approver } = await newTeam()
  const awa = await newPerson(deps, { merchant_id, roles: ['viewer'], name: 'Salimata' })
  const more = await invite(awa.email, ['developer'], merchant_id, owner.as)
  assert.equal(more.link, null)
  const key = { person_id: awa.person_id, merchant_id, role: 'developer' }
  assert.equal((await confirmRole(deps, key, approver.as)).kind, 'confirmed')
  assert.ok((await rightsAt(awa.email, merchant_id)).has('keys.manage'))
  const elsewhere = await newTeam()
  await invite(awa.email, ['accountant'], elsewhere.merchant_id, HOST)
  assert.ok((await rightsAt(awa.email, elsewhere.merchant_id)).has('settlements.request'))
  const invited = await invite(newAddress('new'), ['viewer'], merchant_id, owner.as)
  const [role] = await db.sql`select to_accept from person_roles where person_id = ${invited.person_id}`
  assert.deepEqual(role, { to_accept: false })
})
