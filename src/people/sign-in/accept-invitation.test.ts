import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import { type AnswerOptions, createAuthenticator } from '../../../tests/harness/authenticator.ts'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { browserAt, movePeopleClock, PASSWORD, peopleDeps, takeUp, telephone } from '../../../tests/harness/people.ts'
import { disablePerson, resetPerson } from '../../../tests/harness/people-acts.ts'
import { teamsOn } from '../../../tests/harness/teams.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { hashPassword } from '../factors/password-hash.ts'
import { takeTotp } from '../factors/take-code.ts'
import { invitePerson } from '../invite-person.ts'
import { readSession } from '../sessions/read-session.ts'
import { type Acceptance, acceptInvitation, openInvitation } from './accept-invitation.ts'
import { beginSignIn } from './sign-in.ts'
import { askForPasskey, signInByPasskey } from './sign-in-by-passkey.ts'

const HOST = actor('host:root')
const ORIGIN = 'https://console.example.com'

let db: TestDatabase
let deps: FactorDeps
let merchant_id: number
before(async () => {
  db = await openTestDatabase()
  deps = peopleDeps(db.sql)
  merchant_id = await createMerchant(db.sql, 'Boutique')
})
after(() => db[Symbol.asyncDispose]())

const browser = browserAt()
const refused = (code: string) => ({ kind: 'refused', code })
let invited = 0

async function invite(there = deps, at = merchant_id) {
  invited += 1
  const email = `issa${invited}@example.com`
  const result = await invitePerson(there, { email, merchant_id: at, roles: ['viewer'] }, HOST)
  assert.ok(result.kind === 'invited' && result.link !== null)
  return { email, person_id: result.person_id, token: result.link.token.reveal() }
}

async function open(token: string, there = deps) {
  const opened = await openInvitation(there, { token })
  assert.ok(opened.kind === 'open', JSON.stringify(opened))
  return opened
}

/** A form with a password, filled in well. */
async function filledIn(token: string, there = deps): Promise<Acceptance> {
  const { telephone: shown } = await open(token, there)
  const code = telephone(shown.secret_text, there.clock).code()
  const factors = { kind: 'password', password: PASSWORD, sealed: shown.sealed, code } as const
  return { token, name: 'Issa', language: 'en', factors, browser }
}

test('a link lets a person choose a name, a language, a password and a telephone', async () => {
  const { email, token } = await invite()
  const opened = await open(token)
  assert.equal(opened.person.email, email)
  assert.match(
    opened.telephone.uri,
    /^otpauth:\/\/totp\/Bandama:issa\d+%40example\.com\?secret=[A-Z2-7]{32}&issuer=Bandama$/,
  )
  const form = await filledIn(token)
  await open(token)
  const accepted = await acceptInvitation(deps, form)
  assert.ok(accepted.kind === 'accepted')
  assert.equal(accepted.recovery_codes.length, 10)
  const session = await readSession(deps, accepted.session.token.reveal())
  assert.deepEqual([session?.person.name, session?.person.language, session?.factor], ['Issa', 'en', 'invitation'])
  const acts = await db.sql`select act from audit_log where actor = ${email} order by at, id`
  assert.deepEqual(acts.map(({ act }) => act).sort(), ['invitation.accept', 'session.open'])
})

test('the database keeps no secret of a person as it was typed or shown', async () => {
  const { token, email, person_id } = await invite()
  const secret_text = (await open(token)).telephone.secret_text
  const person = await takeUp(deps, { link: token, email })
  const [row] = await db.sql`
    select (select row_to_json(w)::text from person_passwords w where w.person_id = ${person_id}) as password,
           (select encode(t.secret, 'escape') from person_totp t where t.person_id = ${person_id}) as secret,
           (select json_agg(r)::text from recovery_codes r where r.person_id = ${person_id}) as codes,
           (select row_to_json(i)::text from invitations i where i.person_id = ${person_id}) as invitation`
  assert.ok(!row!.password.includes(PASSWORD))
  assert.ok(!row!.secret.includes(secret_text))
  assert.ok(!row!.codes.includes(person.recovery_codes[0]!))
  assert.ok(!row!.invitation.includes(token))
})

test('a form that is refused leaves the link open, and says why', async () => {
  const { token } = await invite()
  const form = await filledIn(token)
  const withFactors = (more: object) => ({ ...form, factors: { ...form.factors, ...more } }) as Acceptance
  const wrong: [string, Acceptance][] = [
    ['invalid_name', { ...form, name: '  ' }],
    ['invalid_name', { ...form, name: 'a\u0000b' }],
    ['invalid_name', { ...form, name: 'x'.repeat(101) }],
    ['password_too_short', withFactors({ password: 'court' })],
    ['password_common', withFactors({ password: '123qweasdzxc' })],
    ['password_contextual', withFactors({ password: 'Issa-Bandama-1' })],
    ['wrong_code', withFactors({ code: 'abcdef' })],
    ['attempt_over', { ...form, factors: { kind: 'passkey', attempt: 'x', answer: {}, label: '' } }],
  ]
  for (const [code, acceptance] of wrong) assert.deepEqual(await acceptInvitation(deps, acceptance), refused(code))
  assert.equal((await acceptInvitation(deps, form)).kind, 'accepted')
})

test("a reader of an invitation's page does not learn the secret that its person scans later", async () => {
  const { token, person_id } = await invite()
  const seen = telephone((await open(token)).telephone.secret_text, deps.clock)
  const form = await filledIn(token)
  assert.equal((await acceptInvitation(deps, form)).kind, 'accepted')
  const by = (code: string) => deps.sql.begin((tx) => takeTotp(tx, deps, person_id, code))
  assert.deepEqual(await by(seen.nextCode()), refused('wrong_code'))
  assert.deepEqual(await by(seen.code()), refused('wrong_code'))
})

test('a page that is opened often writes nothing, and the person who scanned the first one is let in', async () => {
  const { token, person_id } = await invite()
  const form = await filledIn(token)
  const rows = async () => {
    const [row] = await db.sql`
      select (select row_to_json(i) from invitations i where i.person_id = ${person_id}) as link,
             (select count(*) from sign_in_attempts where person_id = ${person_id}) as attempts,
             (select row_to_json(p) from persons p where p.person_id = ${person_id}) as person`
    return row
  }
  const before = await rows()
  for (let opened = 0; opened < 40; opened += 1) await open(token)
  assert.deepEqual(await rows(), before)
  assert.equal((await acceptInvitation(deps, form)).kind, 'accepted')
})

test('a refused form shows the secret again that its person has scanned, and another form none of theirs', async () => {
  const { token } = await invite()
  const { telephone: shown } = await open(token)
  const again = await openInvitation(deps, { token, shown: shown.sealed })
  assert.ok(again.kind === 'open')
  assert.deepEqual(again.telephone, shown)
  const other = await openInvitation(deps, { token: (await invite()).token, shown: shown.sealed })
  assert.ok(other.kind === 'open')
  assert.notEqual(other.telephone.secret_text, shown.secret_text)
})

test('a form of another person, or of yesterday, asks for a new code', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const place = await createMerchant(own.sql, 'Maquis')
  const mine = await invite(there, place)
  const theirs = await filledIn((await invite(there, place)).token, there)
  assert.deepEqual(await acceptInvitation(there, { ...theirs, token: mine.token }), refused('attempt_over'))
  const form = await filledIn(mine.token, there)
  await movePeopleClock(own, there.clock, 24 * 3_600)
  const { sealed } = form.factors as { sealed: string }
  const code = telephone((await open(mine.token, there)).telephone.secret_text, there.clock).code()
  const late = { ...form, factors: { kind: 'password', password: PASSWORD, sealed, code } } as const
  assert.deepEqual(await acceptInvitation(there, late), refused('attempt_over'))
  assert.equal((await acceptInvitation(there, await filledIn(mine.token, there))).kind, 'accepted')
})

test('ten wrong acceptances of a link let it rest for a quarter of an hour', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const { token } = await invite(there, await createMerchant(own.sql, 'Maquis'))
  const form = await filledIn(token, there)
  const wrongCode = { ...form, factors: { ...form.factors, code: '000000' } } as Acceptance
  const wrongPasskey = { ...form, factors: { kind: 'passkey', attempt: 'x', answer: {}, label: '' } } as Acceptance
  for (const [code, wrong] of [
    ['wrong_code', wrongCode],
    ['attempt_over', wrongPasskey],
  ] as const) {
    for (let nth = 0; nth < 5; nth += 1) assert.deepEqual(await acceptInvitation(there, wrong), refused(code))
  }
  assert.deepEqual(await acceptInvitation(there, form), refused('link_rests'))
  await open(token, there)
  await movePeopleClock(own, there.clock, 15 * 60 + 1)
  const later = await filledIn(token, there)
  const wrongLater = { ...later, factors: { ...later.factors, code: '000000' } } as Acceptance
  assert.deepEqual(await acceptInvitation(there, wrongLater), refused('wrong_code'), 'a new count has begun')
  assert.equal((await acceptInvitation(there, later)).kind, 'accepted')
})

test('the link of an offer to somebody with an account rests after ten good answers too, each of which is a hash', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const at = () => createMerchant(own.sql, 'Maquis')
  const { email, token } = await invite(there, await at())
  assert.equal((await acceptInvitation(there, await filledIn(token, there))).kind, 'accepted')
  const { newTeam } = teamsOn(() => own.sql)
  const other = await newTeam()
  const offer = { email, merchant_id: other.merchant_id, roles: ['viewer'] } as const
  const offered = await invitePerson(there, offer, other.owner.as)
  assert.ok(offered.kind === 'invited' && offered.link !== null)
  const form = await filledIn(offered.link.token.reveal(), there)
  for (let nth = 0; nth < 10; nth += 1) {
    assert.deepEqual(await acceptInvitation(there, form), refused('has_account'))
  }
  assert.deepEqual(await acceptInvitation(there, form), refused('link_rests'))
})

test('a wrong code is refused before a password is hashed', async () => {
  const { token } = await invite()
  const form = await filledIn(token)
  const held = Array.from({ length: 7 }, () => hashPassword(PASSWORD))
  assert.deepEqual(await acceptInvitation(deps, form), refused('busy'), 'every place of the queue is taken')
  const wrong = { ...form, factors: { ...form.factors, code: '000000' } } as Acceptance
  assert.deepEqual(await acceptInvitation(deps, wrong), refused('wrong_code'))
  await Promise.all(held)
})

test('of two simultaneous requests with one link, one succeeds', async () => {
  const { token } = await invite()
  const form = await filledIn(token)
  const results = await Promise.all([acceptInvitation(deps, form), acceptInvitation(deps, { ...form, name: 'Other' })])
  assert.deepEqual(results.map(({ kind }) => kind).sort(), ['accepted', 'refused'])
  assert.deepEqual(await openInvitation(deps, { token }), refused('invitation_used'))
  assert.deepEqual(await acceptInvitation(deps, form), refused('invitation_used'))
})

test('a link that was replaced, of a disabled person, or that has expired opens nothing', async () => {
  const first = await invite()
  const again = await invitePerson(deps, { email: first.email, merchant_id, roles: ['viewer'] }, HOST)
  assert.ok(again.kind === 'invited' && again.link !== null)
  assert.deepEqual(await openInvitation(deps, { token: first.token }), refused('invitation_revoked'))
  const form = await filledIn(again.link.token.reveal())
  await disablePerson(deps, first.person_id, HOST)
  assert.deepEqual(await acceptInvitation(deps, form), refused('invitation_revoked'))

  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const late = await invite(there, await createMerchant(own.sql, 'Maquis'))
  const lateForm = await filledIn(late.token, there)
  await movePeopleClock(own, there.clock, 72 * 3_600 + 1)
  assert.deepEqual(await openInvitation(there, { token: late.token }), refused('invitation_expired'))
  assert.deepEqual(await acceptInvitation(there, lateForm), refused('invitation_expired'))
})

test('a passkey alone is enough, and signs in without a name', async () => {
  const { token, person_id } = await invite()
  const { passkey } = await open(token)
  const authenticator = createAuthenticator()
  const answer = authenticator.register(passkey!.options, ORIGIN)
  const factors = { kind: 'passkey', attempt: passkey!.attempt.reveal(), answer, label: 'Téléphone' } as const
  const accepted = await acceptInvitation(deps, { token, name: 'Issa', language: 'fr', factors, browser })
  assert.ok(accepted.kind === 'accepted', JSON.stringify(accepted))
  assert.deepEqual(accepted.recovery_codes, [])

  const signIn = async (origin: string, by = authenticator) => {
    const asked = await askForPasskey(deps)
    const attempt = asked.attempt.reveal()
    return { attempt, answer: by.assert(asked.options, origin) }
  }
  const good = await signIn(ORIGIN)
  const done = await signInByPasskey(deps, { ...good, browser })
  assert.ok(done.kind === 'signed_in')
  const session = await readSession(deps, done.session.token.reveal())
  assert.deepEqual([session?.person.person_id, session?.factor], [person_id, 'passkey'])
  assert.deepEqual(await signInByPasskey(deps, { ...good, browser }), refused('attempt_over'), 'an answer counts once')

  const counted = async (options: AnswerOptions) => {
    const { attempt, options: question } = await askForPasskey(deps)
    const answer = authenticator.assert(question, ORIGIN, options)
    return signInByPasskey(deps, { attempt: attempt.reveal(), answer, browser })
  }
  assert.deepEqual(await counted({ sign_count: 1 }), refused('passkey_counted_back'))
  const [trace] = await db.sql`
    select after from audit_log where act = 'session.refuse' and subject = ${person_id} order by at desc limit 1`
  assert.deepEqual(trace, { after: { factor: 'passkey', reason: 'counted_back' } })
  assert.equal((await counted({ sign_count: 0, backed_up: true })).kind, 'signed_in')

  const elsewhere = await signIn('https://console.example.com.evil.example')
  assert.deepEqual(await signInByPasskey(deps, { ...elsewhere, browser }), refused('passkey_refused'))
  const stranger = await signIn(ORIGIN, createAuthenticator())
  assert.deepEqual(await signInByPasskey(deps, { ...stranger, browser }), refused('passkey_refused'))
  const empty = await signIn(ORIGIN)
  assert.deepEqual(await signInByPasskey(deps, { ...empty, answer: {}, browser }), refused('passkey_refused'))

  const taken = await open((await invite()).token)
  const again = authenticator.register(taken.passkey!.options, ORIGIN)
  const theirs = { kind: 'passkey', attempt: taken.passkey!.attempt.reveal(), answer: again, label: '' } as const
  const other = await invite()
  const wrongPerson = await acceptInvitation(deps, {
    token: other.token,
    name: 'A',
    language: 'fr',
    factors: theirs,
    browser,
  })
  assert.deepEqual(wrongPerson, refused('attempt_over'), 'a question asked of somebody else')

  await db.sql`update persons set status = 'disabled' where person_id = ${person_id}`
  assert.deepEqual(await signInByPasskey(deps, { ...(await signIn(ORIGIN)), browser }), refused('passkey_refused'))
})

test('a passkey of one person cannot be registered by another', async () => {
  const authenticator = createAuthenticator()
  const results: string[] = []
  for (const { token } of [await invite(), await invite()]) {
    const { passkey } = await open(token)
    const answer = authenticator.register(passkey!.options, ORIGIN)
    const factors = { kind: 'passkey', attempt: passkey!.attempt.reveal(), answer, label: 'Clé' } as const
    const accepted = await acceptInvitation(deps, { token, name: 'Issa', language: 'fr', factors, browser })
    results.push(accepted.kind === 'refused' ? accepted.code : accepted.kind)
  }
  assert.deepEqual(results, ['accepted', 'passkey_refused'])
})

test('a reset asks for new factors, a second one among them, and the old ones open nothing', async () => {
  const { token, email, person_id } = await invite()
  await takeUp(deps, { link: token, email })
  const reset = await resetPerson(deps, person_id, merchant_id, HOST)
  assert.ok(reset.kind === 'reset')
  const begun = await beginSignIn(deps, { email, password: PASSWORD, browser: browserAt('192.0.2.77') })
  assert.deepEqual(begun, refused('wrong_credentials'))
  const link = reset.link.token.reveal()
  const form = await filledIn(link)
  const without = { ...form, factors: { ...form.factors, code: '' } } as Acceptance
  assert.deepEqual(await acceptInvitation(deps, without), refused('wrong_code'))
  const person = await takeUp(deps, { link, email })
  assert.ok(await readSession(deps, await person.signIn()))
})
