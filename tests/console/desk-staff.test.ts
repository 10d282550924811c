import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { invitePerson } from '../../src/people/invite-person.ts'
import { STAFF } from '../../src/people/person.ts'
import { readRights } from '../../src/people/read-rights.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { peopleDeps, takeUp } from '../harness/people.ts'
import { type Member, openMember, seated } from '../harness/teams.ts'

// The roles of the staff, given and confirmed on the desk by its administrators.

let installation: Installation
let rose: Member
let yves: Member
const base = '/desk/live/people'
before(async () => {
  installation = await openInstallation({ own: 'counts administrators' })
  rose = await openMember(installation, 'Rose Adou', { staff: ['administrator'] })
  yves = await openMember(installation, 'Yves Kacou', { staff: ['administrator'] })
})
after(() => installation[Symbol.asyncDispose]())

type Fields = readonly (readonly [string, string])[]
const fieldsOf = (email: string, ...roles: string[]): Fields => [
  ['name', 'Fatou Bamba'],
  ['email', email],
  ...roles.map((role) => ['roles', role] as const),
]
const invite = async (fields: Fields) => (await rose.confirm(`${base}/invite`, fields, `${base}/invite`)).done
const rightsOf = async (email: string) => (await readRights(installation.db.sql, email, STAFF)).staff
async function idOf(email: string): Promise<string> {
  const [row] = await installation.db.sql<{ person_id: string }[]>`select person_id from persons where email = ${email}`
  return row!.person_id
}

test('an administrator invites a colleague by a link shown once, and another one confirms the role that moves money', async () => {
  const email = 'fatou@example.ci'
  assert.match((await rose.get(base)).text, new RegExp(`href="${base}/invite"`))
  const invited = await invite(fieldsOf(email, 'finance', 'support'))
  const [link, token] = /https?:\/\/[^\s<"]+\/desk\/invitation\/([^\s<"]+)/.exec(invited.text)!
  const { secret_key, address: origin } = installation.services[0]!
  await takeUp(peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() }), { link: token!, email })
  const at = `${base}/${await idOf(email)}`
  assert.ok(!(await rose.get(at)).text.includes(link))
  const held = await rightsOf(email)
  assert.ok(held.has('desk.read') && !held.has('settlements.pay'), 'finance waits, support counts')

  assert.match((await rose.get(at)).text, /À confirmer\s: Finance[\s\S]*Un autre administrateur doit le confirmer/)
  const own = await rose.post(`${at}/confirm`, { role: 'finance' }, at)
  assert.equal(own.status, 409)
  assert.match(own.text, /Ni la personne qui a donné ce rôle ni celle qui le porte/)
  assert.match((await yves.get(at)).text, new RegExp(`Donné par ${rose.email}`))
  const { ask, done } = await yves.confirm(`${at}/confirm`, { role: 'finance' }, at)
  assert.match(ask.text, /fatou[\s\S]*Finance/)
  assert.equal(done.location, `${at}?done=confirmed`)
  assert.ok((await rightsOf(email)).has('settlements.pay'))
  assert.equal((await yves.post(`${at}/confirm`, { role: 'finance' }, at)).location, `${at}?done=confirmed`)
  const acts = await installation.db.sql<{ act: string; actor: string; proven: boolean }[]>`
    select act, actor, step_up_id is not null as proven from audit_log where subject = ${await idOf(email)} and act like 'person.%' order by at`
  assert.deepEqual(
    [...acts],
    [
      { act: 'person.invite', actor: rose.email, proven: true },
      { act: 'person.confirm', actor: yves.email, proven: true },
    ],
  )
})

test('a role that waits is in the queue and the menu of the administrators who may confirm it, and of nobody else', async () => {
  const email = 'salif@example.ci'
  await invite(fieldsOf(email, 'operations', 'support'))
  const { sql } = installation.db
  const { merchant_id } = await newMerchant(sql, { name: 'Maquis' })
  const first = { merchant: String(merchant_id), email: 'patron@example.ci', name: 'Patron', roles: 'owner' }
  await rose.confirm(`${base}/invite-owner`, first, `${base}/invite-owner`)
  const waiting = async (person: Member) => {
    const { body } = await person.facts('/desk/live')
    const roles = (body.roles ?? []) as { email: string; role: string; merchant_name: string | null }[]
    return roles.map(({ role, merchant_name }) => [role, merchant_name]).toSorted()
  }
  const both = [
    ['operations', null],
    ['owner', 'Maquis'],
  ]
  assert.deepEqual(await waiting(yves), both)
  assert.deepEqual(await waiting(rose), [], 'the person who gave them')
  const support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  assert.equal((await support.facts('/desk/live')).body.roles, undefined)
  const at = `${base}/${await idOf(email)}`
  const page = (await yves.get('/desk/live')).text
  assert.match(
    page,
    new RegExp(
      `Rôles à confirmer[\\s\\S]*href="${at}"[\\s\\S]*Opérations, équipe du service[\\s\\S]*salif<wbr>@example`,
    ),
  )
  assert.match(page, /File d’attente <span class="count">2</, 'the count of the menu')
  const english = await openMember(installation, 'Ann Lee', { staff: ['administrator'], language: 'en' })
  assert.match((await english.get('/desk/live')).text, /Roles to confirm[\s\S]*Owner, Maquis/)
  const hers = `${base}/${english.person_id}`
  await yves.confirm(`${hers}/disable`, {}, hers)
  await yves.confirm(`${at}/confirm`, { role: 'operations' }, at)
  const owner = `${base}/${await idOf(first.email)}`
  await yves.confirm(`${owner}/confirm-member`, { merchant: first.merchant, role: 'owner' }, owner)
  assert.deepEqual(await waiting(yves), [])
  assert.match((await yves.get('/desk/live')).text, /Aucun rôle n’attend votre accord/)
  await sql`update persons set status = 'active', activated_at = clock_now() where email = ${first.email}`
  const further = { email: 'second@example.ci', merchant_id, roles: ['owner'] } as const
  await invitePerson({ sql, clock: createClock() }, further, seated(rose.email))
  assert.deepEqual(await waiting(yves), [], 'an owner in effect decides about further ones')
})

test('an administrator alone makes no second administrator: neither by an invitation nor by the link of a reset', async () => {
  const accept = async (page: string, email: string) => {
    const [, token] = /https?:\/\/[^\s<"]+\/desk\/invitation\/([^\s<"]+)/.exec(page)!
    const { secret_key, address: origin } = installation.services[0]!
    await takeUp(peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() }), { link: token!, email })
  }
  const email = 'puppet@example.ci'
  await accept((await invite(fieldsOf(email, 'administrator', 'compliance'))).text, email)
  assert.equal((await rightsOf(email)).size, 0, 'both roles wait')

  const { email: held, person_id } = await openMember(installation, 'Zoé Aka', { staff: ['administrator'] })
  const at = `${base}/${person_id}`
  await accept((await rose.confirm(`${at}/reset`, {}, at)).done.text, held)
  assert.equal((await rightsOf(held)).size, 0, 'the holder of the link is perhaps its maker')
  assert.equal((await rose.post(`${at}/confirm`, { role: 'administrator' }, at)).status, 409)
  await yves.confirm(`${at}/confirm`, { role: 'administrator' }, at)
  assert.ok((await rightsOf(held)).has('people.manage'))
  await yves.confirm(`${at}/disable`, {}, at)
})

test('a role is refused or removed, a repeated submission is the same decision, and the last administrator stays', async () => {
  const email = 'issa@example.ci'
  await invite(fieldsOf(email, 'operations', 'compliance'))
  const at = `${base}/${await idOf(email)}`
  for (const role of ['operations', 'compliance']) {
    assert.equal((await yves.confirm(`${at}/remove`, { role }, at)).done.location, `${at}?done=removed`)
  }
  const again = await yves.post(`${at}/remove`, { role: 'operations' }, base)
  assert.equal(again.location, `${at}?done=removed`)
  const [{ count } = { count: -1 }] = await installation.db.sql<{ count: number }[]>`
    select count(*)::integer as count from person_roles where person_id = ${await idOf(email)}`
  assert.equal(count, 0)

  const last = `${base}/${yves.person_id}`
  await rose.confirm(`${last}/remove`, { role: 'administrator' }, last)
  const self = await rose.confirm(`${base}/${rose.person_id}/remove`, { role: 'administrator' }, base)
  assert.equal(self.done.status, 409)
  assert.match(self.done.text, /dernier administrateur qui peut entrer/)
})

test('a refused invitation keeps the typed text, and only an administrator invites', async () => {
  for (const [fields, words] of [
    [fieldsOf('issa', 'support'), /Écrivez une adresse comme/],
    [fieldsOf('issa@example.ci'), /Choisissez au moins un rôle/],
    [fieldsOf('issa@example.ci', 'owner'), /Choisissez au moins un rôle/],
  ] as const) {
    const refused = await rose.post(`${base}/invite`, fields, `${base}/invite`)
    assert.equal(refused.status, 422)
    assert.match(refused.text, words)
    assert.match(refused.text, /value="Fatou Bamba"/)
  }
  const own = await invite(fieldsOf(rose.email, 'finance'))
  assert.equal(own.status, 422)
  assert.match(own.text, /Un autre administrateur vous donne un rôle/)
  const compliance = await openMember(installation, 'Ama', { staff: ['compliance'] })
  assert.equal((await compliance.get(`${base}/invite`)).status, 403)
  assert.doesNotMatch((await compliance.get(base)).text, /people\/invite/)
})
