import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { openSmtpServer, type SmtpServer } from '../harness/smtp-server.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

// The page on which a person accepts or declines the roles that a team offers them.

let smtp: SmtpServer
let installation: Installation
let owner: Member
let second: Member
let merchant_id: number
before(async () => {
  smtp = await openSmtpServer()
  const env = { MAIL_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'bandama@example.com' }
  installation = await openInstallation({ env })
  merchant_id = (await newMerchant(installation.db.sql, { name: 'Boutique Awa' })).merchant_id
  owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  second = await openMember(installation, 'Issa Touré', { merchant_id, roles: ['approver'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await smtp.close()
})

const team = () => `/console/live/${merchant_id}/team`

async function offer(email: string, ...roles: string[]): Promise<string> {
  const fields = [['email', email], ...roles.map((role) => ['roles', role])] as [string, string][]
  const { done } = await owner.confirm(`${team()}/invite`, fields, `${team()}/invite`)
  assert.equal(done.status, 200, done.text)
  return done.text
}

/** Has the second person confirm a role. Returns the question, with the code to compare. */
async function confirm({ person_id }: Member, role: string): Promise<string> {
  const { ask, done } = await second.confirm(`${team()}/${person_id}/confirm`, { role }, team())
  assert.equal(done.location, `${team()}?done=confirmed`, done.text)
  return ask.text
}

async function newPerson(name: string, language: 'fr' | 'en' = 'fr') {
  const elsewhere = (await newMerchant(installation.db.sql, { name: 'Maquis' })).merchant_id
  const person = await openMember(installation, name, { merchant_id: elsewhere, roles: ['viewer'], language })
  return { ...person, home: `/console/live/${elsewhere}` }
}

const answer = (person: Member, word: string, { merchant = String(merchant_id) } = {}) =>
  person.post('/console/offers', { merchant, answer: word })

/** Waits for a mail to somebody with this subject. */
const mailTo = (email: string, subject: RegExp) =>
  waitFor(() => smtp.mails.find(({ to, headers }) => to.includes(email) && subject.test(headers.subject ?? '')), {
    deadline_ms: 30_000,
    what: `a mail to ${email}`,
  })

test('a person is led from their first page to the offer, accepts it, and is in the team', async () => {
  const awa = await newPerson('Awa Koné')
  assert.doesNotMatch((await awa.get(awa.home)).text, /vous propose un rôle/)
  assert.match(await offer(awa.email, 'viewer', 'maker'), /\/console\/invitation\/[\w-]{43}/)
  const listed = (await owner.get(team())).text
  assert.match(listed, /Invitation en cours/)
  assert.match(listed, /Lecteur</)
  assert.match(listed, /Demandeur, à confirmer</)
  assert.doesNotMatch(listed, /Awa Koné/)
  const mail = await mailTo(awa.email, /une équipe vous propose un rôle/)
  assert.match(mail!.text, /On vous propose un rôle \(Demandeur, Lecteur\)/)
  assert.match(mail!.text, /\/console\/offers\r?\n/)
  assert.match((await awa.get(awa.home)).text, /<a class="toast care" href="\/console\/offers">/)
  const { text } = await awa.get('/console/offers')
  assert.match(text, /<h2>Boutique Awa<\/h2>/)
  assert.match(text, new RegExp(`Lecteur</dt><dd>Aya Kouassi, ${owner.email},`))
  assert.match(text, /Demandeur<\/dt><dd>.*l’accord d’une deuxième personne/)

  assert.equal((await awa.get(team())).status, 404)
  assert.equal((await answer(awa, 'accept')).location, '/console')
  assert.equal((await awa.get(team())).status, 404, 'another place opened the account')
  assert.match((await owner.get(team())).text, /Awa Koné/)
  const asked = await confirm(awa, 'viewer')
  const code = /([A-Z]{4}-[A-Z]{4})/.exec(asked)![1]!
  assert.ok((await awa.get('/console/offers')).text.includes('Aucun rôle'))
  assert.ok((await awa.get(`${awa.home}/account`)).text.includes(code), 'her own page shows her the same code')
  assert.equal((await awa.get(team())).status, 200)
  assert.doesNotMatch((await awa.get(awa.home)).text, /vous propose un rôle/)
  assert.equal((await answer(awa, 'accept')).location, '/console/offers', 'a second tap changes nothing')
  assert.match((await awa.get('/console/offers')).text, /Aucun rôle ne vous attend/)
})

test('a person declines in English, and a form without its nonce or with another answer does nothing', async () => {
  const issa = await newPerson('Issa Cissé', 'en')
  await offer(issa.email, 'viewer')
  assert.match((await issa.get(issa.home)).text, /A team offers you a role\. Accept it or decline it\./)
  const page = (await issa.get('/console/offers?lang=en')).text
  for (const word of ['Accept<', 'Decline<', 'If you do not know this team, decline'])
    assert.ok(page.includes(word), word)
  const offered = async () => (await issa.get('/console/offers')).text.includes('Boutique Awa')
  for (const [word, fields] of [
    ['constructor', {}],
    ['', {}],
    ['accept', { merchant: 'x' }],
  ] as const)
    assert.equal((await answer(issa, word, fields)).location, '/console/offers')
  const send = (site: string) =>
    fetch(new URL('/console/offers', installation.services[0]!.address), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: issa.cookie, 'sec-fetch-site': site },
      body: new URLSearchParams({ merchant: String(merchant_id), answer: 'accept', nonce: 'none' }),
    })
  assert.equal((await send('same-origin')).headers.get('location'), '/console/offers')
  assert.equal((await send('cross-site')).status, 403)
  assert.ok(await offered())
  assert.equal((await issa.get(team())).status, 404)
  assert.equal((await answer(issa, 'decline')).location, '/console')
  assert.ok(!(await offered()))
  const told = await mailTo(owner.email, /un rôle est décliné/)
  assert.match(told!.text, new RegExp(`${issa.email} décline le rôle proposé \\(Lecteur\\)`))
  assert.doesNotMatch((await owner.get(team())).text, new RegExp(issa.email))
})

test('a person without any role is led to the offer, and a stranger to the sign-in', async () => {
  const jean = await openMember(installation, 'Jean Ehui', {})
  assert.equal((await jean.get('/console')).status, 200)
  await offer(jean.email, 'viewer')
  assert.equal((await jean.get('/console')).location, '/console/offers')
  assert.match((await jean.get('/console/offers')).text, /<b class="id">[A-Z]{4}-[A-Z]{4}<\/b>/)
  assert.equal((await answer(jean, 'accept')).location, '/console')
  assert.match((await jean.get('/console')).text, /[A-Z]{4}-[A-Z]{4}/, 'the code that the second person asks for')
  await confirm(jean, 'viewer')
  assert.equal((await jean.get('/console')).location, `/console/live/${merchant_id}`)
  const stranger = await fetch(new URL('/console/offers', installation.services[0]!.address), { redirect: 'manual' })
  assert.equal(stranger.headers.get('location'), '/console/sign-in?next=%2Fconsole%2Foffers')
})
