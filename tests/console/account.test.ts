import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { browse, type Page, stepUpIn } from '../harness/console.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { newPerson, peopleDeps, type TestPerson } from '../harness/people.ts'
import { type Service, startService } from '../harness/start-service.ts'

const NEW_PASSWORD = 'sept pirogues sous la pluie'

let db: TestDatabase
let service: Service
before(async () => {
  db = await openTestDatabase()
  service = await startService({ url: db.url })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

type Member = { person: TestPerson; base: string; browser: ReturnType<typeof browse> }

async function newMember(): Promise<Member> {
  const { merchant_id } = await newMerchant(db.sql)
  const { address, secret_key } = service
  const person = await newPerson(peopleDeps(db.sql, { origin: address, secret_key, clock: createClock() }), {
    merchant_id,
  })
  return { person, base: `/console/test/${merchant_id}`, browser: browse(address, `session=${person.token}`) }
}

/** Makes the current code valid again, so that a test need not wait for the next half minute. */
async function forgetLastCode({ person_id }: TestPerson): Promise<void> {
  await db.sql`
    update person_totp
       set last_step = null
     where person_id = ${person_id}`
}

/** Answers the step-up. */
async function prove({ person, base, browser }: Member, path: string): Promise<Page> {
  const question = await browser.post(`${base}${path}`, {}, `${base}/account`)
  assert.equal(question.status, 200, question.text)
  const step_up_id = stepUpIn(question)
  await forgetLastCode(person)
  return browser.post(`${base}${path}`, { step_up_id, secret_code: person.code() }, `${base}/account`)
}

const proofIn = ({ text }: Page) => /name="proof" value="([^"]+)"/.exec(text)![1]!

test('a password is changed once, with a fresh factor and the old password, and the other sessions end', async () => {
  const member = await newMember()
  const { browser, base, person } = member
  await forgetLastCode(person)
  const elsewhere = browse(service.address, `session=${await person.signIn()}`)
  assert.equal((await elsewhere.get(`${base}/account`)).status, 200)
  const form = await prove(member, '/account/change/password')
  assert.equal(form.status, 200)
  const take = (fields: Record<string, string>) =>
    browser.post(`${base}/account/take/password-change`, fields, `${base}/account`)
  const typed = { proof: proofIn(form), secret_old: person.password, secret_new: NEW_PASSWORD }

  const wrong = await take({ ...typed, secret_old: 'un autre mot de passe' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /n’est pas le bon/)
  const common = await take({ ...typed, secret_new: 'motdepasse' })
  assert.equal(common.status, 422)
  assert.doesNotMatch(common.text, /value="motdepasse"/)
  assert.equal((await take(typed)).location, `${base}/account?done=saved`)
  assert.equal((await elsewhere.get(`${base}/account`)).status, 303, 'the other session has ended')
  assert.equal((await browser.get(`${base}/account`)).status, 200, 'this one stays')
  const again = await take({ ...typed, secret_old: NEW_PASSWORD, secret_new: 'huit pirogues sous la pluie' })
  assert.equal(again.status, 422, 'a proof counts for one change')
  assert.equal((await take({ ...typed, proof: 'stp_0', secret_old: NEW_PASSWORD })).status, 422)
})

test('new recovery codes are shown once, after a fresh factor', async () => {
  const member = await newMember()
  const shown = await prove(member, '/account/recovery-codes')
  assert.equal(shown.status, 200)
  const [code] = /[0-9a-z]{4}(?:-[0-9a-z]{4}){5}/.exec(shown.text)!
  assert.ok(!member.person.recovery_codes.includes(code))
  assert.ok(!(await member.browser.get(`${member.base}/account`)).text.includes(code))
})

test('wrong codes are counted aloud before the session confirms nothing any more, and a new sign-in confirms again', async () => {
  const { browser, base, person } = await newMember()
  const path = `${base}/account/recovery-codes`
  let question = await browser.post(path, {}, `${base}/account`)
  const said: string[] = []
  for (let time = 1; time <= 30; time += 1) {
    question = await browser.post(path, { step_up_id: stepUpIn(question), secret_code: 'abcdef' }, `${base}/account`)
    assert.equal(question.status, 422)
    said.push(/class="error"[^>]*>([^<]+)/.exec(question.text)![1]!)
  }
  assert.doesNotMatch(said[23]!, /Essais restants/)
  assert.match(said[24]!, /Essais restants\s?: 5\. Après, il faut entrer de nouveau/)
  assert.match(said[28]!, /Essais restants\s?: 1\./)
  assert.match(said[29]!, /Déconnectez-vous, puis entrez de nouveau/)
  await forgetLastCode(person)
  const right = { step_up_id: stepUpIn(question), secret_code: person.code() }
  assert.equal((await browser.post(path, right, `${base}/account`)).status, 422)
  await forgetLastCode(person)
  const again = browse(service.address, `session=${await person.signIn()}`)
  assert.equal((await prove({ browser: again, base, person }, '/account/recovery-codes')).status, 200)
})

test('a person ends one of their own sessions but no other person’s, and an unknown one answers with a page', async () => {
  const { browser, base, person } = await newMember()
  const other = await newMember()
  const foreign = (await other.person.session()).session_id
  assert.equal((await browser.post(`${base}/account/sessions/${foreign}/end`, {}, `${base}/account`)).status, 404)
  assert.equal((await other.browser.get(`${other.base}/account`)).status, 200)
  await forgetLastCode(person)
  const elsewhere = browse(service.address, `session=${await person.signIn()}`)
  assert.equal((await browser.post(`${base}/account/sessions/end-others`, {}, `${base}/account`)).status, 303)
  assert.equal((await elsewhere.get(`${base}/account`)).status, 303)
  assert.equal((await browser.get(`${base}/account`)).status, 200)
  // No passkey has this name.
  assert.equal((await prove({ browser, base, person }, '/account/passkeys/%2525/remove')).status, 404)
})
