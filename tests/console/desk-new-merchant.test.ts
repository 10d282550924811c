import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readRights } from '../../src/people/read-rights.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { peopleDeps, takeUp } from '../harness/people.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A merchant from its creation on the desk to its first owner, whom two administrators let in.

let installation: Installation
let compliance: Member
let rose: Member
let yves: Member
const desk = '/desk/test'
before(async () => {
  installation = await openInstallation()
  compliance = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  rose = await openMember(installation, 'Rose Adou', { staff: ['administrator'] })
  yves = await openMember(installation, 'Yves Kacou', { staff: ['administrator'] })
})
after(() => installation[Symbol.asyncDispose]())

/** Creates a merchant as compliance, and returns its number. */
async function create(name: string): Promise<number> {
  const { ask, done } = await compliance.confirm(`${desk}/merchants/new`, { name }, `${desk}/merchants/new`)
  assert.match(ask.text, /Un administrateur invite ensuite son propriétaire/)
  const [, number] = /\/merchants\/(\d+)\?done=created$/.exec(done.location!)!
  return Number(number)
}
const form = `${desk}/people/invite-owner`
const invite = (by: Member, merchant: number | string, email: string) =>
  by.confirm(form, { merchant: String(merchant), name: 'Koffi Yao', email, roles: 'owner' }, form)
async function idOf(email: string): Promise<string> {
  const [row] = await installation.db.sql<{ person_id: string }[]>`select person_id from persons where email = ${email}`
  return row!.person_id
}

test('compliance creates a merchant, and two administrators let its first owner in', async () => {
  assert.match((await compliance.get(`${desk}/merchants`)).text, new RegExp(`href="${desk}/merchants/new"`))
  const merchant_id = await create('Maquis du Port')
  const page = await compliance.get(`${desk}/merchants/${merchant_id}`)
  assert.match(page.text, /Maquis du Port/)
  assert.match(page.text, /Personne n’entre encore/)

  const email = 'koffi@example.ci'
  const { ask, done } = await invite(rose, merchant_id, email)
  assert.match(ask.text, new RegExp(`Maquis du Port \\(${merchant_id}\\)`))
  const [, token] = /https?:\/\/[^\s<"]+\/console\/invitation\/([^\s<"]+)/.exec(done.text)!
  const { secret_key, address: origin } = installation.services[0]!
  await takeUp(peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() }), { link: token!, email })
  const rights = async () => (await readRights(installation.db.sql, email, merchant_id)).merchant
  assert.ok(!(await rights()).has('team.manage'), 'an owner whom one person let in has no rights yet')

  const at = `${desk}/people/${await idOf(email)}`
  const merchant = String(merchant_id)
  const own = await rose.post(`${at}/confirm-member`, { merchant, role: 'owner' }, at)
  assert.equal(own.status, 409)
  assert.match(own.text, /Ni la personne qui a donné ce rôle ni celle qui le porte/)
  const { text } = await yves.get(at)
  assert.match(text, /À confirmer\s: Propriétaire, Maquis du Port/)
  assert.match(text, new RegExp(`Donné par ${rose.email}`))
  const confirmed = await yves.confirm(`${at}/confirm-member`, { merchant, role: 'owner' }, at)
  assert.match(confirmed.ask.text, new RegExp(`Maquis du Port \\(${merchant_id}\\)[\\s\\S]*Propriétaire`))
  assert.equal(confirmed.done.location, `${at}?done=confirmed`)
  assert.ok((await rights()).has('team.manage'))
  assert.equal(
    (await yves.post(`${at}/confirm-member`, { merchant, role: 'owner' }, at)).location,
    `${at}?done=confirmed`,
  )
  const acts = await installation.db.sql<{ act: string; actor: string; proven: boolean }[]>`
    select act, actor, step_up_id is not null as proven
      from audit_log
     where merchant_id = ${merchant_id} and act in ('merchant.create', 'person.invite', 'person.confirm')
     order by at`
  assert.deepEqual(
    [...acts],
    [
      { act: 'merchant.create', actor: compliance.email, proven: true },
      { act: 'person.invite', actor: rose.email, proven: true },
      { act: 'person.confirm', actor: yves.email, proven: true },
    ],
  )
})

test('once a merchant has an owner, administrators neither invite nor confirm another', async () => {
  const merchant_id = await create('Boulangerie')
  await invite(rose, merchant_id, 'second@example.ci')
  const of = ['--merchant', String(merchant_id), '--role', 'owner']
  const { link } = await installation.bandama('person', 'invite', '--email', 'first@example.ci', ...of)
  const { secret_key, address: origin } = installation.services[0]!
  const deps = peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() })
  await takeUp(deps, { link: String(link).split('/').at(-1)!, email: 'first@example.ci' })

  const refused = await rose.post(
    form,
    { merchant: String(merchant_id), email: 'third@example.ci', roles: 'owner' },
    form,
  )
  assert.equal(refused.status, 422)
  assert.match(refused.text, /Ce marchand a un propriétaire/)
  const at = `${desk}/people/${await idOf('second@example.ci')}`
  const late = await yves.post(`${at}/confirm-member`, { merchant: String(merchant_id), role: 'owner' }, at)
  assert.equal(late.status, 409)
  assert.match(late.text, /Ce marchand a un propriétaire/)
})

test('an administrator confirms the first colleague of a single owner, and no role after it', async () => {
  const merchant_id = await create('Maquis d’une personne')
  const owner = await openMember(installation, 'Koffi Yao', { merchant_id, roles: ['owner'] })
  const console = `/console/test/${merchant_id}/team`
  const give = async (email: string, role: string) => {
    await owner.confirm(`${console}/invite`, { name: 'Mariam Sy', email, roles: role }, `${console}/invite`)
    return `${desk}/people/${await idOf(email)}`
  }
  const rightsOf = async (email: string) => (await readRights(installation.db.sql, email, merchant_id)).merchant
  const confirm = { merchant: String(merchant_id), role: 'approver' }

  const email = 'mariam@example.ci'
  const at = await give(email, 'approver')
  assert.match((await owner.get(console)).text, /un administrateur du service le confirme/)
  assert.match((await rose.get(`${desk}`)).text, new RegExp(`href="${at}"[\\s\\S]*Approbateur, Maquis d’une personne`))
  assert.equal((await rightsOf(email)).size, 0)
  const { ask, done } = await rose.confirm(`${at}/confirm-member`, confirm, at)
  assert.match(ask.text, new RegExp(`Maquis d’une personne \\(${merchant_id}\\)[\\s\\S]*Approbateur`))
  assert.equal(done.location, `${at}?done=confirmed`)
  await installation.db.sql`update persons set status = 'active', activated_at = clock_now() where email = ${email}`
  assert.ok((await rightsOf(email)).has('payouts.approve'))

  const later = await give('salif@example.ci', 'maker')
  assert.match((await owner.get(console)).text, /Un autre propriétaire ou approbateur doit le confirmer/)
  assert.doesNotMatch((await rose.get(`${desk}`)).text, /Maquis d’une personne/)
  const refused = await rose.post(`${later}/confirm-member`, { ...confirm, role: 'maker' }, later)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /son équipe décide de ses rôles/)
  assert.equal((await rightsOf('salif@example.ci')).size, 0)
})

test('a refused form keeps the typed text, and other roles neither create a merchant nor invite its owner', async () => {
  for (const name of ['', ' ', 'a'.repeat(201), 'deux\nlignes']) {
    const answer = await compliance.post(`${desk}/merchants/new`, { name }, `${desk}/merchants/new`)
    assert.equal(answer.status, 422, name)
    assert.match(answer.text, /Écrivez un nom de 1 à 200 lettres/)
  }
  for (const merchant of ['', '0', '999999999', 'x']) {
    const answer = await rose.post(form, { merchant, email: 'awa@example.ci', roles: 'owner' }, form)
    assert.equal(answer.status, 422, merchant)
    assert.match(answer.text, /Aucun marchand n’a ce numéro/)
    assert.match(answer.text, /value="awa@example\.ci"/)
  }
  assert.equal((await rose.post(`${desk}/merchants/new`, { name: 'X' }, `${desk}/people`)).status, 403)
  assert.equal(
    (await compliance.post(form, { merchant: '1', email: 'a@example.ci', roles: 'owner' }, `${desk}/merchants`)).status,
    403,
  )
})
