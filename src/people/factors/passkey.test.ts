import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { type AnswerOptions, type Authenticator, createAuthenticator } from '../../../tests/harness/authenticator.ts'
import {
  assertionOptions,
  credentialIn,
  type Passkey,
  passkeyName,
  readAssertion,
  readRegistration,
  registrationOptions,
  siteOf,
} from './passkey.ts'

const ORIGIN = 'https://console.example.com'
const site = siteOf(ORIGIN, 'Bandama')
const person = { person_id: 'per_1', email: 'awa@example.com', name: 'Awa' }

async function registered(authenticator: Authenticator): Promise<Passkey> {
  const challenge = randomBytes(32)
  const question = await registrationOptions(site, person, challenge, [])
  const passkey = await readRegistration(site, challenge, authenticator.register(question, ORIGIN))
  assert.ok(passkey, 'the passkey is taken')
  return passkey
}

const unread = { kind: 'refused', code: 'passkey_refused' }

/** A count that goes forward, or that stays at zero because the passkey has none. Every other count is that of a copy, or of a passkey on several devices. */
const goesForward = (stored: number, next: number) => next > stored || (next === 0 && stored === 0)

describe('the count of a passkey', () => {
  const counts = [0, 1, 2, 5, 6, 7, 1_000, 2 ** 32 - 1]
  for (const backed_up of [false, true]) {
    const promise = backed_up ? 'that is backed up may go back' : 'that is on one device goes forward'
    test(`${promise}, from every count to every other`, async () => {
      const authenticator = createAuthenticator()
      const passkey = await registered(authenticator)
      for (const stored of counts) {
        for (const next of counts) {
          const challenge = randomBytes(32)
          const question = await assertionOptions(site, challenge)
          const answer = authenticator.assert(question, ORIGIN, { sign_count: next, backed_up })
          const read = await readAssertion(site, challenge, answer, { ...passkey, sign_count: stored })
          const why = `from ${stored} to ${next}`
          if (backed_up || goesForward(stored, next)) {
            assert.deepEqual([read.kind, read.kind === 'signed' && read.sign_count], ['signed', next], why)
          } else assert.deepEqual(read, { kind: 'refused', code: 'passkey_counted_back' }, why)
          const wrong = authenticator.assert(question, `${ORIGIN}:1`, { sign_count: next, backed_up })
          assert.deepEqual(await readAssertion(site, challenge, wrong, { ...passkey, sign_count: stored }), unread, why)
        }
      }
    })
  }
})

describe('a passkey', () => {
  test('signs a challenge after it was registered, and counts', async () => {
    const authenticator = createAuthenticator()
    const passkey = await registered(authenticator)
    const challenge = randomBytes(32)
    const answer = authenticator.assert(await assertionOptions(site, challenge), ORIGIN)
    assert.equal(credentialIn(answer), passkey.credential_id)
    const read = await readAssertion(site, challenge, answer, passkey)
    assert.deepEqual(read.kind === 'signed' && read.sign_count, 2)
  })

  test('is asked to verify the person and to be found without a name', async () => {
    const question = await registrationOptions(site, person, randomBytes(32), [])
    assert.equal(question.authenticatorSelection?.userVerification, 'required')
    assert.equal(question.authenticatorSelection?.residentKey, 'required')
    assert.equal((await assertionOptions(site, randomBytes(32))).userVerification, 'required')
  })

  const wrong: Record<string, { origin?: string; options?: AnswerOptions; other_challenge?: boolean }> = {
    'at another origin': { origin: 'https://console.example.com.evil.example' },
    'at another origin, for our host': { origin: 'https://evil.example', options: { rp_id: 'console.example.com' } },
    'at our host on another port': { origin: `${ORIGIN}:8443` },
    'for another host': { options: { rp_id: 'example.com' } },
    'without having verified the person': { options: { verified: false } },
    'for another challenge': { other_challenge: true },
  }
  for (const [how, { origin = ORIGIN, options = {}, other_challenge = false }] of Object.entries(wrong)) {
    test(`that signs ${how} is refused`, async () => {
      const authenticator = createAuthenticator()
      const passkey = await registered(authenticator)
      const challenge = randomBytes(32)
      const answer = authenticator.assert(await assertionOptions(site, challenge), origin, options)
      const asked = other_challenge ? randomBytes(32) : challenge
      assert.deepEqual(await readAssertion(site, asked, answer, passkey), unread)
    })
    test(`that is made ${how} is refused`, async () => {
      const challenge = randomBytes(32)
      const question = await registrationOptions(site, person, challenge, [])
      const answer = createAuthenticator().register(question, origin, options)
      assert.equal(await readRegistration(site, other_challenge ? randomBytes(32) : challenge, answer), null)
    })
  }

  test('of somebody else does not sign for this one', async () => {
    const passkey = await registered(createAuthenticator())
    const challenge = randomBytes(32)
    const answer = createAuthenticator().assert(await assertionOptions(site, challenge), ORIGIN)
    assert.deepEqual(await readAssertion(site, challenge, { ...answer, id: passkey.credential_id }, passkey), unread)
  })

  test('malformed answers are refused, and throw nothing', async () => {
    const passkey = await registered(createAuthenticator())
    const challenge = randomBytes(32)
    const none: Record<string, unknown>[] = [
      {},
      { id: 7 },
      { id: passkey.credential_id, rawId: passkey.credential_id, type: 'public-key', response: null },
      {
        id: passkey.credential_id,
        rawId: passkey.credential_id,
        type: 'public-key',
        response: { clientDataJSON: '%' },
      },
    ]
    for (const answer of none) {
      assert.deepEqual(await readAssertion(site, challenge, answer, passkey), unread)
      assert.equal(await readRegistration(site, challenge, answer), null)
    }
    assert.equal(credentialIn({ id: 'x'.repeat(2_000) }), null)
  })
})

test('the name of a passkey is kept as typed, without its invisible characters', () => {
  assert.equal(passkeyName(' Clé\u0000du\nbureau ', site), 'Clé du bureau')
  assert.equal(passkeyName(' ', site), 'console.example.com')
  assert.equal(passkeyName('x'.repeat(300), site).length, 100)
})

test('passkeys work at names under https and at localhost', () => {
  const works = (origin: string) => siteOf(origin, 'Bandama').passkeys
  assert.equal(works('https://console.example.com/'), true)
  assert.equal(works('http://localhost:3000'), true)
  assert.equal(works('http://console.example.com'), false)
  assert.equal(works('http://127.0.0.1:3000'), false)
  assert.equal(works('https://[::1]'), false)
})
