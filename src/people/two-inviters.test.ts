import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { peopleDeps, takeUp } from '../../tests/harness/people.ts'
import { confirmRole, resetPerson } from '../../tests/harness/people-acts.ts'
import { newAddress, teamsOn } from '../../tests/harness/teams.ts'
import { createClock } from '../platform/clock.ts'
import { acceptOffer } from './answer-offer.ts'
import { STAFF } from './person.ts'
import { readSession } from './sessions/read-session.ts'

// Of two who invite the same address, the first has the link: it opens nothing that the other grants.

let db: TestDatabase
let deps: { sql: TestDatabase['sql']; clock: ReturnType<typeof createClock> }
before(async () => {
  db = await openTestDatabase()
  deps = { sql: db.sql, clock: createClock() }
})
after(() => db[Symbol.asyncDispose]())

const { invite, member, newTeam, rightsAt, roleOf } = teamsOn(() => db.sql)

for (const order of ['before', 'after'] as const) {
  test(`a role granted beside another’s link counts by a confirmation after its use, also one confirmed ${order} it`, async () => {
    const maker = await newTeam()
    const { merchant_id, owner, approver } = await newTeam()
    const email = newAddress('shared')
    const { person_id, link } = await invite(email, ['viewer'], maker.merchant_id, maker.owner.as)
    const given = await invite(email, ['maker', 'viewer'], merchant_id, owner.as)
    assert.deepEqual([given.link!.staff, given.added], [false, ['maker', 'viewer']])
    const confirm = (role: string, by = approver.as) => confirmRole(deps, { person_id, merchant_id, role }, by)
    if (order === 'before') assert.deepEqual(await confirm('maker'), { kind: 'confirmed' })
    const person = await takeUp(peopleDeps(db.sql), { link: link!.token.reveal(), email })
    assert.ok((await rightsAt(email, maker.merchant_id)).has('payouts.read'))
    assert.equal((await rightsAt(email, merchant_id)).size, 0, 'neither the maker nor the viewer')
    const held = await roleOf(person_id, merchant_id, 'maker')
    assert.deepEqual([held!.counts, held!.confirmed_by], [false, null])
    for (const role of ['maker', 'viewer']) {
      assert.deepEqual(await confirm(role, owner.as), { kind: 'refused', code: 'same_person' })
      assert.deepEqual(await confirm(role), { kind: 'confirmed' })
    }
    assert.equal((await rightsAt(email, merchant_id)).size, 0, 'the person has not accepted')
    const session = (await readSession(deps, person.token))!
    assert.deepEqual(await acceptOffer(deps, { session, merchant_id, address: '192.0.2.1' }), { kind: 'accepted' })
    assert.equal((await rightsAt(email, merchant_id)).size, 0, 'nobody could compare the code before')
    for (const role of ['maker', 'viewer']) assert.deepEqual(await confirm(role), { kind: 'confirmed' })
    assert.ok((await rightsAt(email, merchant_id)).has('payouts.make'))
    const [line] = await db.sql`select after from audit_log where act = 'invitation.accept' and actor = ${email}`
    assert.deepEqual(line!.after.to_confirm, [
      { role: 'maker', merchant_id },
      { role: 'viewer', merchant_id },
    ])
  })
}

test('a new link of the service opens what merchants granted before it, once a second person has compared the code', async () => {
  const first = await newTeam()
  const { merchant_id, owner, approver } = await newTeam()
  const administrator = await member('ada', ['administrator'])
  const email = newAddress('shared')
  await invite(email, ['viewer'], first.merchant_id, first.owner.as)
  await invite(email, ['viewer'], merchant_id, owner.as)
  const { person_id, link } = await invite(email, ['developer'], merchant_id, administrator.as)
  const confirm = (role: string) => confirmRole(deps, { person_id, merchant_id, role }, approver.as)
  assert.equal((await confirm('viewer')).kind, 'confirmed')
  await takeUp(peopleDeps(db.sql), { link: link!.token.reveal(), email })
  assert.equal((await rightsAt(email, merchant_id)).size, 0, 'the administrator could have used the link')
  for (const role of ['viewer', 'developer']) assert.equal((await confirm(role)).kind, 'confirmed')
  const rights = await rightsAt(email, merchant_id)
  assert.ok(rights.has('payouts.read') && rights.has('keys.manage'))
  assert.equal((await rightsAt(email, first.merchant_id)).size, 0)
})

test('an administrator who owns a merchant gets no link to a person whom others let in', async () => {
  const { merchant_id } = await newTeam()
  const administrator = await member('ada', ['administrator'])
  await invite(administrator.email, ['owner'], merchant_id)
  const email = newAddress('finance')
  const first = await invite(email, ['finance'], STAFF)
  const given = await invite(email, ['viewer'], merchant_id, administrator.as)
  assert.notEqual(given.link?.token.reveal(), first.link!.token.reveal())
  await assert.rejects(takeUp(peopleDeps(db.sql), { link: given.link!.token.reveal(), email }), /has_account/)
  await takeUp(peopleDeps(db.sql), { link: first.link!.token.reveal(), email })
  assert.equal((await rightsAt(email, merchant_id)).size, 0, 'the role of the merchant is only offered')
})

test('a team resets nobody who has not opened a link, so that a new address and one with an account answer alike', async () => {
  const { merchant_id, owner } = await newTeam()
  const known = (await newTeam()).owner
  const address = newAddress('new')
  for (const { person_id } of [
    await invite(address, ['viewer'], merchant_id, owner.as),
    await invite(known.email, ['viewer'], merchant_id, owner.as),
  ]) {
    const reset = await resetPerson(deps, person_id, merchant_id, owner.as)
    assert.deepEqual(reset, { kind: 'refused', code: 'resource_not_found' })
  }
  const again = await invite(address, ['viewer'], merchant_id, owner.as)
  assert.notEqual(again.link, null, 'an invitation makes the next link')
})
