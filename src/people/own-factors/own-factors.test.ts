import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAuthenticator } from '../../../tests/harness/authenticator.ts'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import {
  browserAt,
  movePeopleClock,
  newPerson,
  PASSWORD,
  peopleDeps,
  type TestPerson,
  telephone,
} from '../../../tests/harness/people.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { listFactors } from '../factors/find-factors.ts'
import { readSession } from '../sessions/read-session.ts'
import type { Session } from '../sessions/session.ts'
import { beginSignIn, finishSignIn } from '../sign-in/sign-in.ts'
import { beginStepUp } from '../step-up/begin-step-up.ts'
import { confirmStepUp } from '../step-up/confirm-step-up.ts'
import { addPasskey, askForNewPasskey, removePasskey } from './change-passkeys.ts'
import { changePassword } from './change-password.ts'
import { type Changing, type FactorChange, stepUpOf } from './factor-change.ts'
import { renewRecoveryCodes, replaceTelephone, showNewTelephone } from './replace-telephone.ts'

const ORIGIN = 'https://console.example.com'
const OTHER_PASSWORD = 'cinq pirogues et une pagaie'

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

/** A person at their own factors, with the change proven by a code. */
async function proven(awa: TestPerson, session: Session, change: FactorChange): Promise<Changing> {
  const { step_up_id } = await beginStepUp(deps, { session, ...stepUpOf(change, session) })
  assert.deepEqual(await confirmStepUp(deps, session, step_up_id, { code: awa.nextCode() }), { kind: 'confirmed' })
  return { session, browser, proof: { step_up_id } }
}

/** A person who has signed in by a recovery code: their telephone is lost. */
async function withoutTelephone(awa: TestPerson): Promise<Session> {
  const begun = await beginSignIn(deps, { email: awa.email, password: PASSWORD, browser })
  assert.ok(begun.kind === 'second_step')
  const attempt = begun.attempt.reveal()
  const done = await finishSignIn(deps, { attempt, code: awa.recovery_codes[0]!, browser })
  assert.ok(done.kind === 'signed_in')
  return (await readSession(deps, done.session.token.reveal()))!
}

test('a new password needs the old one and a fresh proof, and ends the other sessions and attempts', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const session = await awa.session()
  const other = await awa.signIn()
  const begun = await beginSignIn(deps, { email: awa.email, password: PASSWORD, browser })
  assert.ok(begun.kind === 'second_step')
  const change = (changing: Changing, old_password: string, new_password: string) =>
    changePassword(deps, changing, { old_password, new_password })
  const none = { session, browser, proof: { step_up_id: 'stp_none' } }
  assert.deepEqual(await change(none, PASSWORD, OTHER_PASSWORD), refused('step_up_missing'))
  const thief = { session, browser, proof: { password: PASSWORD } }
  assert.deepEqual(await change(thief, PASSWORD, OTHER_PASSWORD), refused('step_up_missing'))
  const changing = await proven(awa, session, { act: 'password.change' })
  assert.deepEqual(await change(changing, 'un autre mot de passe', OTHER_PASSWORD), refused('wrong_password'))
  assert.deepEqual(await change(changing, PASSWORD, PASSWORD), refused('password_same'))
  assert.deepEqual(await change(changing, PASSWORD, 'court'), refused('password_too_short'))
  assert.deepEqual(await change(changing, PASSWORD, OTHER_PASSWORD), { kind: 'changed' })
  assert.ok(await readSession(deps, awa.token), 'this session goes on')
  assert.equal(await readSession(deps, other), null)
  const answer = await finishSignIn(deps, { attempt: begun.attempt.reveal(), code: awa.code(), browser })
  assert.deepEqual(answer, refused('attempt_over'), 'what was begun with the old password is over')
  const old = await beginSignIn(deps, { email: awa.email, password: PASSWORD, browser })
  assert.deepEqual(old, refused('wrong_credentials'))
  const fresh = await beginSignIn(deps, { email: awa.email, password: OTHER_PASSWORD, browser })
  assert.equal(fresh.kind, 'second_step')
  const [line] = await db.sql`
    select step_up_id, door from audit_log where actor = ${awa.email} and act = 'password.change'`
  const { proof } = changing
  assert.deepEqual(line, { step_up_id: 'step_up_id' in proof ? proof.step_up_id : null, door: 'console' })
})

test('a stolen session guesses the password no more often than a sign-in does', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const session = await awa.session()
  const guess = (old_password: string, proof: Changing['proof'] = { step_up_id: 'stp_none' }) =>
    changePassword(deps, { session, browser, proof }, { old_password, new_password: OTHER_PASSWORD })
  for (let times = 0; times < 10; times += 1) assert.deepEqual(await guess('un autre'), refused('wrong_password'))
  assert.deepEqual(await guess(PASSWORD), refused('too_many_attempts'))
  const recovered = {
    session: { ...session, factor: 'recovery_code' as const },
    browser,
    proof: { password: PASSWORD },
  }
  assert.deepEqual(await renewRecoveryCodes(deps, recovered), refused('too_many_attempts'))
})

test('the proof for one change does not serve another', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const changing = await proven(awa, await awa.session(), { act: 'password.change' })
  assert.deepEqual(await renewRecoveryCodes(deps, changing), refused('step_up_missing'))
})

test('recovery codes are renewed, and the former ones open nothing', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const changing = await proven(awa, await awa.session(), { act: 'recovery_codes.renew' })
  const renewed = await renewRecoveryCodes(deps, changing)
  assert.ok(renewed.kind === 'renewed')
  assert.equal(renewed.recovery_codes.length, 10)
  const begun = await beginSignIn(deps, { email: awa.email, password: PASSWORD, browser })
  assert.ok(begun.kind === 'second_step')
  const finish = (code: string) => finishSignIn(deps, { attempt: begun.attempt.reveal(), code, browser })
  assert.deepEqual(await finish(awa.recovery_codes[0]!), refused('wrong_code'))
  assert.equal((await finish(renewed.recovery_codes[0]!)).kind, 'signed_in')
})

test('a lost telephone is replaced after a recovery code and the password, within a quarter of an hour', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const session = await withoutTelephone(awa)
  const shown = showNewTelephone(deps, session)
  const phone = telephone(shown.secret_text, deps.clock)
  const replace = (password: string, code: string, by = session) =>
    replaceTelephone(deps, { session: by, browser, proof: { password } }, { sealed: shown.sealed, code })
  assert.deepEqual(await replace('un autre mot de passe', phone.code()), refused('wrong_password'))
  assert.deepEqual(await replace(PASSWORD, 'abcdef'), refused('wrong_code'))
  const late = { ...session, created_at: new Date(session.created_at.getTime() - 15 * 60_000 - 1) }
  assert.deepEqual(await replace(PASSWORD, phone.code(), late), refused('step_up_missing'))
  const begun = async () => {
    const first = await beginSignIn(deps, { email: awa.email, password: PASSWORD, browser })
    assert.ok(first.kind === 'second_step')
    return first.attempt.reveal()
  }
  const before = await finishSignIn(deps, { attempt: await begun(), code: awa.nextCode(), browser })
  assert.equal(before.kind, 'signed_in', 'the old telephone counts until the new one has answered')
  assert.deepEqual(await replace(PASSWORD, phone.nextCode()), { kind: 'replaced' })
  assert.equal(await readSession(deps, awa.token), null)
  const old = await finishSignIn(deps, { attempt: await begun(), code: awa.nextCode(), browser })
  assert.equal(old.kind, 'refused')
  const fresh = await finishSignIn(deps, { attempt: await begun(), code: phone.nextCode(), browser })
  assert.equal(fresh.kind, 'signed_in')
})

test('passkeys are added and removed, and never the last way in', async () => {
  const awa = await newPerson(deps, { merchant_id })
  const session = await awa.session()
  const authenticator = createAuthenticator()
  const asked = await askForNewPasskey(deps, session)
  const answer = authenticator.register(asked.options, ORIGIN)
  const wanted = { attempt: asked.attempt.reveal(), answer, label: ' Clé du bureau ' }
  const elsewhere = { ...wanted, answer: authenticator.register(asked.options, 'https://evil.example') }
  const adding = await proven(awa, session, { act: 'passkey.add' })
  assert.deepEqual(await addPasskey(deps, adding, elsewhere), refused('passkey_refused'))
  const { credential_id } = authenticator
  assert.deepEqual(await addPasskey(deps, adding, wanted), { kind: 'added', credential_id })
  const factors = await listFactors(deps, awa.person_id)
  assert.deepEqual(
    factors.passkeys.map((passkey) => [passkey.credential_id, passkey.name]),
    [[credential_id, 'Clé du bureau']],
  )
  assert.ok(factors.password && factors.totp)
  assert.equal(factors.recovery_codes_left, 10)

  const remove = (changing: Changing, id = credential_id) => removePasskey(deps, changing, id)
  const proofByPasskey = async (id: string): Promise<Changing> => {
    const change = { act: 'passkey.remove', subject: id } as const
    const { step_up_id, passkey } = await beginStepUp(deps, { session, ...stepUpOf(change, session) })
    const assertion = authenticator.assert(passkey!, ORIGIN)
    assert.deepEqual(await confirmStepUp(deps, session, step_up_id, { assertion }), { kind: 'confirmed' })
    return { session, browser, proof: { step_up_id } }
  }
  const issa = await newPerson(deps, { merchant_id })
  const theirs = await issa.session()
  const notTheirs = await proven(issa, theirs, { act: 'passkey.remove', subject: credential_id })
  assert.deepEqual(await remove(notTheirs), refused('passkey_not_found'))

  await db.sql`delete from person_totp where person_id = ${awa.person_id}`
  assert.deepEqual(await remove(await proofByPasskey(credential_id)), refused('last_factor'))
  assert.equal((await listFactors(deps, awa.person_id)).passkeys.length, 1)
  await db.sql`insert into person_totp (person_id, secret, last_step) values (${awa.person_id}, '\\x00', 0)`
  assert.deepEqual(await remove(await proofByPasskey(credential_id)), { kind: 'removed' })
  assert.deepEqual((await listFactors(deps, awa.person_id)).passkeys, [])
})

test('a session that has ended changes nothing', async () => {
  const awa = await newPerson(deps, { merchant_id, roles: ['viewer'] })
  const session = await awa.session()
  const changing = await proven(awa, session, { act: 'recovery_codes.renew' })
  await db.sql`update persons set status = 'disabled' where person_id = ${awa.person_id}`
  assert.deepEqual(await renewRecoveryCodes(deps, changing), refused('step_up_missing'))
})

test('a session opened by a code is proven by no password', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const merchant = await createMerchant(own.sql, 'Maquis')
  const awa = await newPerson(there, { merchant_id: merchant })
  await movePeopleClock(own, there.clock, 60)
  const session = (await readSession(there, await awa.signIn()))!
  const changing = { session, browser, proof: { password: PASSWORD } }
  assert.deepEqual(await renewRecoveryCodes(there, changing), refused('step_up_missing'))
})
