import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { acceptOffer } from '../../src/people/answer-offer.ts'
import { invitePerson } from '../../src/people/invite-person.ts'
import { readRights } from '../../src/people/read-rights.ts'
import { readSession } from '../../src/people/sessions/read-session.ts'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { hold, patient, untilWaiting } from '../harness/hold.ts'
import { newMerchant } from '../harness/merchant.ts'
import { peopleDeps, takeUp } from '../harness/people.ts'
import { startService } from '../harness/start-service.ts'
import { type Member, openMember, type Place } from '../harness/teams.ts'

let db: TestDatabase
let service: Awaited<ReturnType<typeof startService>>
let merchant_id: number
let place: Place
let owner: Member
let second: Member
let at: (path: string) => string

before(async () => {
  db = await openTestDatabase()
  service = await startService({ url: patient(db.url) })
  merchant_id = (await newMerchant(db.sql)).merchant_id
  at = (path) => `/console/live/${merchant_id}${path}`
  place = { db, services: [service], secret_key: service.secret_key }
  owner = await openMember(place, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  second = await openMember(place, 'Koffi N’Guessan', { merchant_id, roles: ['owner'] })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

type Fields = readonly (readonly [string, string])[]

const prove = async (person: Member, path: string, fields: Fields, from: string) =>
  (await person.confirm(path, fields, from)).done

function invite(email: string, roles: readonly string[]) {
  const fields: Fields = [['name', 'Fatou Bamba'], ['email', email], ...roles.map((role) => ['roles', role] as const)]
  return prove(owner, at('/team/invite'), fields, at('/team/invite'))
}

async function personOf(email: string): Promise<string> {
  const [row] = await db.sql<{ person_id: string }[]>`select person_id from persons where email = ${email}`
  return row!.person_id
}

const role = (name: string): Fields => [['role', name]]

test('an invited approver signs in by the link shown once, and approves only once another owner has confirmed', async () => {
  const email = 'fatou@example.ci'
  const { status, text } = await invite(email, ['approver', 'viewer'])
  assert.equal(status, 200)
  assert.match(
    text,
    /Approbateur\s: ce rôle compte dès qu’une deuxième personne l’a confirmé/,
    'the inviter reads it too',
  )
  const [link, token] = /https?:\/\/[^\s<"]+\/console\/invitation\/([^\s<"]+)/.exec(text)!
  assert.ok(link.startsWith(service.address.replace('127.0.0.1', 'localhost')), link)
  assert.ok(!(await owner.get(at('/team'))).text.includes(token!), 'it is never shown again')
  const page = await (await fetch(new URL(`/console/invitation/${token}`, service.address))).text()
  const words = page.replace(/<[^>]+>/g, ' ')
  assert.match(words, /Aya Kouassi vous invite à rejoindre\s+Boutique/, 'the link says who invites, and to what')
  assert.match(words, /Votre rôle\s: Approbateur, Lecteur\./)
  assert.match(words, /Approbateur\s: ce rôle compte dès qu’une deuxième personne l’a confirmé/)
  await takeUp(peopleDeps(db.sql, { origin: service.address, secret_key: service.secret_key }), { link: token!, email })
  const approves = async () => (await readRights(db.sql, email, merchant_id)).merchant.has('payouts.approve')
  assert.equal(await approves(), false)

  const path = at(`/team/${await personOf(email)}/confirm`)
  const own = await owner.post(path, role('approver'), at('/team/invite'))
  assert.equal(own.status, 409, 'the giver does not confirm')
  assert.match(own.text, /une autre personne le confirme/)
  assert.equal(await approves(), false)

  const { ask, done } = await second.confirm(path, role('approver'), at('/team'))
  assert.match(ask.text, /fatou@example\.ci<\/dd>[\s\S]*Awa<\/dd>/, 'the name and the address')
  assert.equal(done.location, at('/team?done=confirmed'))
  assert.equal(await approves(), true)
  const again = await second.post(path, role('approver'), at('/team/invite'))
  assert.equal(again.location, at('/team?done=confirmed'), 'a second tap is the same decision')
  const acts = await db.sql`
    select act, actor, step_up_id is not null as proven from audit_log
    where merchant_id = ${merchant_id} and act in ('person.invite', 'person.confirm') order by at`
  assert.deepEqual(acts, [
    { act: 'person.invite', actor: owner.email, proven: true },
    { act: 'person.confirm', actor: second.email, proven: true },
  ])
})

test('a person without a role in effect reads the next step, and the colleagues who can take it', async () => {
  const awa = await openBrowser(db.sql, service.address, {})
  const { status, text } = await awa.get('/console')
  assert.equal(status, 200)
  assert.match(text, /un propriétaire ou un approbateur de votre équipe, à la page «\sÉquipe\s»/)
})

test('the second person reads that the person of a role signed in by a link from elsewhere', async () => {
  const email = 'adjoua@example.ci'
  const elsewhere = (await newMerchant(db.sql)).merchant_id
  const host = actor('ama@example.ci')
  const first = await invitePerson(
    { sql: db.sql, clock: createClock() },
    { email, merchant_id: elsewhere, roles: ['viewer'] },
    host,
  )
  assert.ok(first.kind === 'invited')
  const person = await personOf(email)
  const { text } = await invite(email, ['viewer', 'maker'])
  assert.match(text, /\/console\/invitation\/[\w-]{43}/, 'as for a new person')
  const deps = peopleDeps(db.sql, { origin: service.address, secret_key: service.secret_key })
  const awa = await takeUp(deps, { link: first.link!.token.reveal(), email })
  assert.doesNotMatch((await second.get(at('/team'))).text, /venu d’ailleurs/, 'nothing tells of an account')
  const session = (await readSession({ sql: db.sql, clock: createClock() }, awa.token))!
  await acceptOffer(db, { session, merchant_id, address: '192.0.2.1' })
  assert.equal((await readRights(db.sql, email, merchant_id)).merchant.size, 0, 'nobody has compared the code')
  assert.match((await second.get(at('/team'))).text, /Un lien venu d’ailleurs a ouvert ce compte/)
  const { ask, done } = await second.confirm(at(`/team/${person}/confirm`), role('viewer'), at('/team'))
  const [{ account_code }] = await db.sql<[{ account_code: string }]>`
    select account_code from persons where person_id = ${person}`
  assert.match(ask.text, /par un lien venu d’ailleurs/)
  assert.match(ask.text, new RegExp(`doit lui montrer le code ${account_code}`))
  assert.equal(done.location, at('/team?done=confirmed'))
  assert.ok((await readRights(db.sql, email, merchant_id)).merchant.has('payouts.read'))
})

test('nobody confirms their own role', async () => {
  await prove(
    owner,
    at('/team/invite'),
    [
      ['email', second.email],
      ['roles', 'maker'],
    ],
    at('/team/invite'),
  )
  const { status, text } = await second.post(at(`/team/${second.person_id}/confirm`), role('maker'), at('/team/invite'))
  assert.equal(status, 409)
  assert.match(text, /il est le vôtre/)
})

test('a role is removed, and a repeated submission is the same decision', async () => {
  await invite('mariam@example.ci', ['accountant', 'viewer'])
  const path = at(`/team/${await personOf('mariam@example.ci')}/remove`)
  const done = await prove(owner, path, role('accountant'), at('/team'))
  assert.equal(done.location, at('/team?done=removed'))
  const again = await owner.post(path, role('accountant'), at('/team'))
  assert.equal(again.location, at('/team?done=removed'))
  const { body } = await owner.facts(at('/team'))
  const mariam = (body.members as { email: string; roles: { role: string }[] }[]).find(
    ({ email }) => email === 'mariam@example.ci',
  )
  assert.deepEqual(
    mariam!.roles.map((held) => held.role),
    ['viewer'],
  )
})

test('a merchant signs nobody out who works elsewhere too', async () => {
  const ali = await openMember(place, 'Ali Traoré', { staff: ['support'] })
  await invite(ali.email, ['viewer'])
  assert.equal((await ali.get(at('/team'))).status, 404, 'not before they accept')
  const offered = await ali.get('/desk/offers')
  const [, nonce] = /name="nonce" value="([^"]+)"/.exec(offered.text)!
  const accepted = await ali.post('/desk/offers', { nonce: nonce!, merchant: String(merchant_id), answer: 'accept' })
  assert.equal(accepted.location, '/desk')
  const confirmed = await prove(second, at(`/team/${ali.person_id}/confirm`), role('viewer'), at('/team'))
  assert.equal(confirmed.location, at('/team?done=confirmed'))
  assert.equal((await ali.get(at('/team'))).status, 200)
  const done = await prove(owner, at(`/team/${ali.person_id}/remove`), role('viewer'), at('/team'))
  assert.equal(done.location, at('/team?done=removed'))
  assert.equal((await ali.get(at('/team'))).status, 404, 'the role is gone at the next request')
  assert.equal((await ali.get('/desk/live')).status, 200)
})

test('the last owner stays, and the page says why', async () => {
  const alone = (await newMerchant(db.sql)).merchant_id
  const person = await openMember(place, 'Aya Kouassi', { merchant_id: alone, roles: ['owner'] })
  const team = `/console/live/${alone}/team`
  const { status, text } = await prove(person, `${team}/${person.person_id}/remove`, role('owner'), team)
  assert.equal(status, 409)
  assert.match(text, /dernier propriétaire/)
  const elsewhere = await person.post(`${team}/${owner.person_id}/remove`, role('owner'), team)
  assert.equal(elsewhere.status, 404, 'a person of another merchant is nowhere')
})

test('an owner resets a colleague, whose roles others confirm again, but nobody with roles elsewhere', async () => {
  const koffi = await openMember(place, 'Koffi Yao', { merchant_id, roles: ['maker'] })
  const path = at(`/team/${koffi.person_id}/reset`)
  assert.match((await owner.get(at('/team'))).text, new RegExp(path))
  const { ask, done } = await owner.confirm(path, {}, at('/team'))
  assert.match(ask.text, /Tous ses rôles attendent une autre personne/)
  assert.match(done.text, /\/console\/invitation\/[\w-]{43}/)
  assert.equal((await koffi.get(at('/team'))).status, 303, 'signed out')
  const { text } = await second.get(at('/team'))
  assert.match(text, /À confirmer\s: Koffi Yao, Demandeur/)
  const elsewhere = (await newMerchant(db.sql)).merchant_id
  const other = await openMember(place, 'Ali', { merchant_id: elsewhere, roles: ['viewer'] })
  const unknown = await owner.post(at(`/team/${other.person_id}/reset`), {}, at('/team'))
  assert.equal(unknown.status, 404)
  await invitePerson(
    { sql: db.sql, clock: createClock() },
    { email: other.email, merchant_id, roles: ['viewer'] },
    actor('ama@example.ci'),
  )
  const refused = await prove(owner, at(`/team/${other.person_id}/reset`), [], at('/team'))
  assert.equal(refused.status, 409)
  assert.match(refused.text, /des rôles ailleurs/)
  const own = await prove(owner, at(`/team/${owner.person_id}/reset`), [], at('/team'))
  assert.match(own.text, /C’est vous/)
})

test('if two owners reset each other at once, one stays, and the page says who can help', async () => {
  const shop = (await newMerchant(db.sql)).merchant_id
  const roles = { merchant_id: shop, roles: ['owner'] }
  const aya = await openMember(place, 'Aya Kouassi', roles)
  const koffi = await openMember(place, 'Koffi Yao', roles)
  const team = `/console/live/${shop}/team`
  const reset = (by: Member, of: Member) => by.ask(`${team}/${of.person_id}/reset`, [], team)
  const asked = [await reset(aya, koffi), await reset(koffi, aya)]
  await using held = await hold(db.sql, (tx) => tx`select from person_roles where merchant_id = ${shop} for update`)
  const both = Promise.all(asked.map(({ answer }) => answer()))
  await untilWaiting(db.sql, { count: 2, statement: 'person_roles' })
  await held.letGo()
  const pages = await both
  assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 409])
  const refused = pages.find(({ status }) => status === 409)!
  assert.match(refused.text, /dernier propriétaire qui peut entrer\. L’équipe du service peut l’aider/)
  // Only the refused owner could have helped the other one, so the staff must.
  const last = pages[0] === refused ? koffi : aya
  const root = await openMember(place, 'Rose Adou', { staff: ['administrator'] })
  const person = `/desk/live/people/${last.person_id}`
  assert.match((await prove(root, `${person}/reset`, [], person)).text, /\/console\/invitation\//)
})

test('the people of a merchant read that the service disabled an owner, without the name of the administrator', async () => {
  const shop = (await newMerchant(db.sql)).merchant_id
  const home = `/console/live/${shop}`
  const awa = await openMember(place, 'Awa Koné', { merchant_id: shop, roles: ['owner'] })
  const issa = await openMember(place, 'Issa Cissé', { merchant_id: shop, roles: ['approver'], language: 'en' })
  const viewer = await openMember(place, 'Jean Ehui', { merchant_id: shop, roles: ['viewer'] })
  assert.doesNotMatch((await issa.get(home)).text, /disabled/)
  const root = await openMember(place, 'Rose Adou', { staff: ['administrator'] })
  const person = `/desk/live/people/${awa.person_id}`
  assert.equal((await prove(root, `${person}/disable`, [], person)).status, 303)

  const pages = await Promise.all([issa.get(home), issa.get(`${home}/team`), viewer.get(`${home}/team`)])
  const [first, team, french] = pages.map(({ text }) => text)
  assert.match(first!, new RegExp(`The account of an owner is disabled</b>.*${awa.email}`))
  assert.match(team!, new RegExp(`The team of the service disabled ${awa.email} on`))
  assert.match(french!, new RegExp(`L’équipe du service a désactivé ${awa.email} le`))
  assert.doesNotMatch((await viewer.get(home)).text, /désactivé/, 'on the first page for those who confirm roles')
  for (const { text } of pages) assert.ok(!text.includes(root.email))
})

test('a refused invitation keeps the typed text', async () => {
  const fields: Fields = [
    ['name', 'Serge Yao'],
    ['email', 'serge'],
    ['roles', 'developer'],
  ]
  const { status, text } = await owner.post(at('/team/invite'), fields, at('/team/invite'))
  assert.equal(status, 422)
  assert.match(text, /Écrivez une adresse/)
  for (const kept of ['value="Serge Yao"', 'value="serge"', 'value="developer" checked'])
    assert.ok(text.includes(kept), kept)
  const own: Fields = [
    ['email', owner.email],
    ['roles', 'viewer'],
  ]
  const refused = await prove(owner, at('/team/invite'), own, at('/team/invite'))
  assert.equal(refused.status, 422)
  assert.match(refused.text, /C’est votre adresse/)
})

test('a viewer sees the team without a button, and may change nothing', async () => {
  await invite('awa@example.ci', ['maker'])
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  const { status, text } = await viewer.get(at('/team'))
  assert.equal(status, 200)
  assert.match(text, /Koffi N’Guessan/)
  assert.match(text, /À confirmer\s: Fatou Bamba, Demandeur/)
  assert.doesNotMatch(text, /action="[^"]*\/team\//)
  assert.doesNotMatch(text, /\/team\/invite/)
  for (const act of ['invite', `${owner.person_id}/confirm`, `${owner.person_id}/remove`])
    assert.equal((await viewer.post(at(`/team/${act}`), role('owner'), at('/account'))).status, 403, act)
})
