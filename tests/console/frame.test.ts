import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { assets } from '../../src/console/assets.ts'
import { createClock } from '../../src/platform/clock.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { newPerson, peopleDeps } from '../harness/people.ts'
import { startService } from '../harness/start-service.ts'

test('without a session a page redirects to the sign-in, with the address to return to', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const person = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const inside = await person.get('/console')
  assert.equal(inside.status, 303)
  assert.equal(inside.location, `/console/live/${merchant_id}`)
  const outside = await fetch(new URL('/console', service.address), { redirect: 'manual' })
  assert.equal(outside.status, 303)
  assert.equal(outside.headers.get('location'), '/console/sign-in')
})

test('the files of the console are cached for ever and compressed', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  for (const name of assets.keys()) {
    const answer = await fetch(new URL(`/console/files/${name}`, service.address))
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('cache-control')!, /immutable/)
    assert.match(answer.headers.get('content-security-policy')!, /default-src 'none'/)
  }
  assert.equal((await fetch(new URL('/console/files/other.css', service.address))).status, 404)
})

test('a person signs in by password and code, continues at the requested page, and signs out', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const person = await newPerson(
    peopleDeps(db.sql, { origin: service.address, secret_key: service.secret_key, clock: createClock() }),
    { merchant_id },
  )
  const next = `/console/test/${merchant_id}/account`
  const led = await ask(service.address, next)
  assert.equal(led.status, 303)
  assert.equal(led.headers.get('location'), `/console/sign-in?${new URLSearchParams({ next })}`)
  const wrong = await send(service.address, '/console/sign-in', { email: person.email, secret_password: 'non', next })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /ne vont pas ensemble/)
  assert.match(wrong.text, new RegExp(person.email))
  const second = await send(service.address, '/console/sign-in', {
    email: person.email,
    secret_password: person.password,
    next,
  })
  assert.equal(second.status, 200)
  const attempt = /name="attempt" value="([^"]+)"/.exec(second.text)![1]!
  await db.sql`
    update person_totp
       set last_step = null`
  const code = person.code()
  const inside = await send(service.address, '/console/sign-in/code', {
    attempt,
    secret_code: code,
    email: person.email,
    next,
  })
  assert.equal(inside.status, 303)
  assert.equal(inside.headers.get('location'), next)
  const cookie = inside.headers.get('set-cookie')!
  assert.match(cookie, /HttpOnly/)
  assert.match(cookie, /SameSite=Lax/)
  const signedIn = cookie.split(';')[0]!
  assert.equal(
    (await ask(service.address, '/console', signedIn)).headers.get('location'),
    `/console/live/${merchant_id}`,
  )
  const page = await ask(service.address, `/console/test/${merchant_id}/account`, signedIn)
  const nonce = /name="nonce" value="([^"]+)"/.exec(page.text)![1]!
  await send(service.address, '/console/sign-out', { nonce: 'guessed' }, signedIn)
  assert.equal((await ask(service.address, next, signedIn)).status, 200, 'nobody else signs a person out')
  const out = await send(service.address, '/console/sign-out', { nonce }, signedIn)
  assert.match(out.headers.get('set-cookie')!, /Max-Age=0/)
  assert.equal((await ask(service.address, next, signedIn)).status, 303, 'the token opens nothing any more')
  const ends = await db.sql`
    select after->>'reason' as reason
      from audit_log
     where act = 'session.end' and actor = ${person.email}`
  assert.deepEqual([...ends], [{ reason: 'signed_out' }])
  // A used code is not valid again.
  const again = await send(service.address, '/console/sign-in', {
    email: person.email,
    secret_password: person.password,
  })
  const other = /name="attempt" value="([^"]+)"/.exec(again.text)![1]!
  const replayed = await send(service.address, '/console/sign-in/code', {
    attempt: other,
    secret_code: code,
    email: person.email,
  })
  assert.equal(replayed.status, 422)
  assert.match(replayed.text, /déjà servi/)
})

test('a form after the end of the session is kept for after the sign-in, but not one of another site', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const { address, secret_key } = service
  const person = await newPerson(peopleDeps(db.sql, { origin: address, secret_key, clock: createClock() }), {
    merchant_id,
    staff_roles: ['finance'],
  })
  const { email } = person
  const mark = `browser=${randomBytes(32).toString('base64url')}`
  const cookie = `session=${person.token}; ${mark}`
  const path = `/console/test/${merchant_id}/account/sessions/end-others`
  const form = await ask(address, `/console/test/${merchant_id}/account`, cookie)
  const nonce = /name="nonce" value="([^"]+)"/.exec(form.text)![1]!
  await db.sql`
    update person_sessions
       set ended_at = clock_now(), end_reason = 'idle'`
  // As long as the longest form: 25 lines of a batch, each cell with its text before.
  const lines = Array.from({ length: 25 }, (_, nth) => {
    const reference = `Facture ${nth} de la boutique du quartier, `.padEnd(240, `${nth} pagnes wax, `)
    return { [`was_reference${nth}`]: reference, [`reference${nth}`]: `${reference} corrigée` }
  })
  const typed = Object.assign({ amount: '2500', description: 'Pagne wax' }, ...lines) as Record<string, string>
  const late = await send(address, path, { ...typed, nonce }, cookie)
  assert.equal(late.status, 401)
  assert.match(late.text, /Ce que vous avez tapé est gardé/)
  const keptIn = (text: string) =>
    [...new Set([...text.matchAll(/name="kept" value="([^"]+)"/g)].map(([, part]) => part!))].map((part) => [
      'kept',
      part,
    ])
  const signIn = async (door: string, asked: string, browser = mark, who = person) => {
    const { email } = who
    const password = [...Object.entries({ email, secret_password: who.password }), ...keptIn(asked)]
    const second = await send(address, `/${door}/sign-in`, password, browser)
    const attempt = /name="attempt" value="([^"]+)"/.exec(second.text)![1]!
    await db.sql`
      update person_totp
         set last_step = null`
    const code = Object.entries({ attempt, secret_code: who.code(), email })
    return send(address, `/${door}/sign-in/code`, [...code, ...keptIn(second.text)], browser)
  }
  const inside = await signIn('console', late.text)
  assert.equal(inside.status, 200)
  assert.match(inside.text, new RegExp(`action="${path}"`))
  assert.match(inside.text, /name="description" value="Pagne wax"/)
  assert.ok(inside.text.includes(`name="reference24" value="${typed.reference24}"`))

  // Anybody with a session can have a form kept. In the browser of somebody else it is not shown, and another site does not bring it there.
  const elsewhere = await signIn('console', late.text, `browser=${randomBytes(32).toString('base64url')}`)
  assert.equal(elsewhere.status, 303)
  const headers = { accept: 'text/html', 'sec-fetch-site': 'cross-site' }
  const body = new URLSearchParams(keptIn(late.text) as [string, string][])
  const brought = await fetch(new URL('/console/sign-in', address), { method: 'POST', headers, body })
  assert.equal(brought.status, 403)
  assert.doesNotMatch(await brought.text(), /name="kept"/)

  // Nor is it shown to a colleague who signs in on the page that the person left open.
  const colleague = await newPerson(peopleDeps(db.sql, { origin: address, secret_key, clock: createClock() }), {
    merchant_id,
  })
  assert.equal((await signIn('console', late.text, mark, colleague)).status, 303)

  // A bank's lines, pasted where a file could be chosen: as many as the field takes, and hard to compress.
  const pasted = Array.from(
    { length: 250 },
    (_, nth) => `VIR-${nth};${randomBytes(24).toString('base64url')};${nth} 000`,
  )
  const statement = `Référence;Libellé;Débit\n${pasted.join('\n')}`
  const transfers = '/desk/test/settlements/transfers'
  const read = await send(address, transfers, { pasted: statement, nonce }, cookie)
  assert.equal(read.status, 401)
  assert.match(read.text, /Ce que vous avez tapé est gardé/)
  const back = await signIn('desk', read.text)
  assert.ok(back.text.includes(`action="${transfers}"`))
  assert.ok(back.text.includes(`name="pasted" value="${statement}"`))

  // A form beyond all keeping says so, so that its text can be copied before.
  const noise = Object.fromEntries(
    Array.from({ length: 8 }, (_, nth) => [`text${nth}`, randomBytes(11_000).toString('base64url')]),
  )
  const lost = await send(address, path, { ...noise, nonce }, cookie)
  assert.equal(lost.status, 401)
  assert.match(lost.text, /trop long pour être gardé/)
  assert.ok(lost.text.includes(`name="next" value="${path}"`))

  // A form of another site comes without the cookie or the nonce. The person has not typed it.
  for (const [made_up, sent] of [
    [{ ...typed, nonce }, ''],
    [typed, cookie],
    [{ ...typed, nonce: 'guessed' }, cookie],
  ] as const) {
    const asked = await send(address, path, made_up, sent)
    assert.equal(asked.status, 401)
    assert.doesNotMatch(asked.text, /name="kept"|est gardé/)
  }
  // A file is not kept. The sign-in continues at the page where it is chosen.
  const upload = `/console/test/${merchant_id}/batches/new`
  const file = new FormData()
  file.append('file', new Blob(['Nom;Montant']), 'wages.csv')
  const uploaded = await fetch(new URL(upload, address), {
    method: 'POST',
    headers: { cookie, accept: 'text/html' },
    body: file,
  })
  const choose = await uploaded.text()
  assert.equal(uploaded.status, 401)
  assert.match(choose, /choisissez de nouveau le fichier/)
  assert.ok(choose.includes(`name="next" value="${upload}"`))
  assert.doesNotMatch(choose, /name="kept"|est gardé/)

  const forged = await send(address, '/console/sign-in', { email, secret_password: person.password, kept: 'AAAA' })
  assert.equal(forged.status, 200)
})

test('a person whose only role waits for a second person reads so at both doors', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const person = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  await db.sql`
    update person_roles
       set role = 'approver', needs_confirmation = true, break_glass = false, granted_by = 'owner@example.com'
     where person_id = ${person.person_id}`
  for (const [door, told] of [
    ['/console', /Une deuxième personne doit le confirmer/],
    ['/desk', /Un deuxième administrateur doit le confirmer/],
  ] as const) {
    const page = await person.get(door)
    assert.equal(page.status, 200)
    assert.match(page.text, told)
  }
  const staff = await openBrowser(db.sql, service.address, { staff: ['support'] })
  assert.equal((await staff.get('/console')).location, '/desk/live')
})

async function ask(address: string, path: string, cookie = '') {
  const response = await fetch(new URL(path, address), { redirect: 'manual', headers: { cookie, accept: 'text/html' } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function send(address: string, path: string, fields: Record<string, string> | string[][], cookie = '') {
  const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin', cookie }
  const body = new URLSearchParams(fields)
  const response = await fetch(new URL(path, address), { method: 'POST', redirect: 'manual', headers, body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('over plain http from other machines neither door answers, and the log says so', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url, env: { PUBLIC_URL: 'http://pay.example' } })
  for (const path of ['/console', '/console/sign-in', '/desk/sign-in']) {
    assert.equal((await ask(service.address, path)).status, 404, path)
  }
  assert.match(service.output(), /sign-in needs https or this machine/)
  assert.doesNotMatch(service.output(), /\/desk\/invitation\//)
})

test('a page that refreshes itself does not extend its session, and a page that a person opens does', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const { cookie, person_id } = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const path = new URL(`/console/test/${merchant_id}`, service.address)
  const ask = async (headers: Record<string, string> = {}) => {
    const { status } = await fetch(path, { redirect: 'manual', headers: { cookie, accept: 'text/html', ...headers } })
    return status
  }
  const byItself = { 'x-look-again': 'another' }
  const left = async (minutes: number) => {
    const ago = `${minutes} minutes`
    await db.sql`
      update person_sessions
         set created_at = clock_now() - interval '1 hour', seen_at = clock_now() - ${ago}::interval
       where person_id = ${person_id}`
  }
  const idleMinutes = async () => {
    const [row] = await db.sql<{ minutes: number }[]>`
      select round(extract(epoch from clock_now() - seen_at) / 60)::integer as minutes
        from person_sessions
       where person_id = ${person_id}`
    return row!.minutes
  }
  await left(29)
  assert.equal(await ask(byItself), 200)
  assert.equal(await idleMinutes(), 29, 'the idle time goes on')
  assert.equal(await ask(), 200)
  assert.equal(await idleMinutes(), 0)
  await left(31)
  assert.equal(await ask(byItself), 303, 'the session is over')
})

test('the keyboard help names the search only for a person who may search there', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const person = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'], staff: ['support'] })
  const helpOf = async (path: string) => /<dialog id="help".*<\/dialog>/.exec((await person.get(path)).text)![0]
  assert.match(await helpOf(`/console/live/${merchant_id}`), /Chercher/)
  assert.match(await helpOf('/desk/live'), /Chercher/)
  await db.sql`update person_roles set role = 'administrator' where merchant_id = 0`
  assert.doesNotMatch(await helpOf('/desk/live'), /Chercher/)
})
