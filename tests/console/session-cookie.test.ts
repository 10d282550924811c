import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assets } from '../../src/console/assets.ts'
import { createClock } from '../../src/platform/clock.ts'
import { sha256 } from '../../src/platform/digest.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { newPerson, peopleDeps, type TestPerson } from '../harness/people.ts'
import { type Service, startService } from '../harness/start-service.ts'

// The service behind a proxy that ends TLS, as in production. People reach it over https.

const ORIGIN = 'https://pay.example'

let db: TestDatabase
let service: Service
let merchant_id: number
let person: TestPerson
before(async () => {
  db = await openTestDatabase()
  service = await startService({ url: db.url, env: { PUBLIC_URL: ORIGIN } })
  merchant_id = (await newMerchant(db.sql)).merchant_id
  const { secret_key } = service
  person = await newPerson(peopleDeps(db.sql, { origin: ORIGIN, secret_key, clock: createClock() }), { merchant_id })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

async function ask(path: string, cookie: string, fields?: Record<string, string>): Promise<Response> {
  const headers = { accept: 'text/html', cookie, ...(fields === undefined ? {} : { origin: ORIGIN }) }
  const posted = fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }
  return fetch(new URL(path, service.address), { redirect: 'manual', headers, ...posted })
}

const hidden = (name: string, text: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)![1]!

/** Signs in as a browser with these cookies. Returns the header of the session's cookie. */
async function signIn(cookie: string): Promise<string> {
  const { email, password: secret_password } = person
  const second = await (await ask('/console/sign-in', cookie, { email, secret_password })).text()
  await db.sql`update person_totp set last_step = null`
  const typed = { attempt: hidden('attempt', second), email, secret_code: person.code() }
  const inside = await ask('/console/sign-in/code', cookie, typed)
  assert.equal(inside.status, 303)
  return inside.headers.get('set-cookie')!
}

const pairOf = (header: string) => header.split(';')[0]!
const attributesOf = (header: string) => header.split('; ').slice(1).sort()

test('behind https both cookies are bound to this host, and are never sent unencrypted', async () => {
  const mark = (await ask('/console/sign-in', '')).headers.get('set-cookie')!
  assert.match(mark, /^__Host-browser=[\w-]{43};/)
  assert.deepEqual(attributesOf(mark), ['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Lax', 'Secure'])
  const session = await signIn(pairOf(mark))
  assert.match(session, /^__Host-session=[\w-]{43};/)
  assert.deepEqual(attributesOf(session), ['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'])

  const page = `/console/test/${merchant_id}/account`
  const inside = await ask(page, pairOf(session))
  assert.equal(inside.status, 200)
  const withoutPrefix = pairOf(session).replace('__Host-', '')
  assert.equal((await ask(page, withoutPrefix)).status, 303, 'a cookie that another host could have set opens nothing')
  const nonce = hidden('nonce', await inside.text())
  const out = await ask('/console/sign-out', pairOf(session), { nonce })
  assert.match(out.headers.get('set-cookie')!, /^__Host-session=;.*; Secure; Max-Age=0$/)
})

test('behind https every answer to a browser requires https from then on', async () => {
  const [file] = assets.keys()
  const answers = ['/console', '/console/sign-in', '/desk/sign-in', `/console/files/${file}`]
  for (const path of [...answers, `/console/test/${merchant_id}`, '/console/sign-in/', '/desk/live/']) {
    const answer = await ask(path, '')
    assert.equal(answer.headers.get('strict-transport-security'), 'max-age=31536000', path)
  }
})

test('a browser keeps its mark after a sign-out, and a new sign-in ends its earlier session', async () => {
  const mark = pairOf((await ask('/console/sign-in', '')).headers.get('set-cookie')!)
  const again = (await ask('/desk/sign-in', mark)).headers.get('set-cookie')!
  assert.equal(pairOf(again), mark, 'the same mark for longer')
  const made_up = (await ask('/desk/sign-in', '__Host-browser=mine')).headers.get('set-cookie')!
  assert.notEqual(pairOf(made_up), '__Host-browser=mine')

  const first = pairOf(await signIn(mark))
  const second = pairOf(await signIn(`${mark}; ${first}`))
  assert.equal((await ask('/console', first)).headers.get('location'), '/console/sign-in')
  assert.equal((await ask('/console', second)).headers.get('location'), `/console/live/${merchant_id}`)
  const sessions = await db.sql`
    select end_reason
      from person_sessions
     where browser_hash = ${sha256(mark.split('=')[1]!)}
     order by created_at`
  assert.deepEqual([...sessions], [{ end_reason: 'signed_in_again' }, { end_reason: null }])
})
