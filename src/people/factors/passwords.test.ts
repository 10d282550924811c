import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkPassword, hashPassword } from './password-hash.ts'
import { judgePassword } from './password-rules.ts'
import { hashOfRecoveryCode, looksLikeRecoveryCode, newRecoveryCodes } from './recovery-code.ts'

const context = { brand: 'Bandama', email: 'awa.kone@boutique-kone.example', name: 'Awa Koné' }
const PASSWORD = 'quatre lagunes et un pont'

describe('a password', () => {
  test('is kept as Argon2id with a salt of its own, and found again', async () => {
    const [one, other] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)])
    assert.match(one!, /^\$argon2id\$v=19\$m=65536,t=2,p=1\$/)
    assert.notEqual(one, other)
    assert.equal(await checkPassword(PASSWORD, one), 'right')
    assert.equal(await checkPassword(`${PASSWORD} `, one), 'wrong')
  })

  test('of an unknown person is compared like any other, and is wrong', async () => {
    assert.equal(await checkPassword(PASSWORD, null), 'wrong')
  })

  test('is the same one however its accents are composed', async () => {
    const hash = await hashPassword('é'.normalize('NFC').repeat(2) + PASSWORD)
    assert.equal(await checkPassword('é'.normalize('NFD').repeat(2) + PASSWORD, hash), 'right')
  })

  test('beyond those that wait is refused at once', async () => {
    const results = await Promise.all(Array.from({ length: 16 }, () => checkPassword(PASSWORD, null)))
    assert.equal(results.filter((result) => result === 'busy').length, 2)
    assert.equal(await checkPassword(PASSWORD, null), 'wrong', 'places come free again')
  })

  test('to sign in with waits in a queue of its own, which no new password fills', async () => {
    const held = Array.from({ length: 8 }, () => hashPassword(PASSWORD))
    assert.equal(await checkPassword(PASSWORD, null), 'wrong')
    assert.equal((await Promise.all(held)).filter((hash) => hash === null).length, 1, 'one runs, six wait')
  })

  test('a hash of another form is a fault', async () => {
    await assert.rejects(checkPassword(PASSWORD, '$2b$10$abcdefghijklmnopqrstuv'), /another form/)
  })
})

test('passwords that a guesser tries first are refused, each with its reason', () => {
  const refusals: Record<string, string | null> = {
    elevenchars: 'password_too_short',
    '🦊🦊🦊🦊🦊🦊': 'password_too_short',
    [PASSWORD.repeat(9)]: 'password_too_long',
    '123qweasdzxc': 'password_common',
    '1QAZ2WSX3EDC': 'password_common',
    aaaaaaaaaaaaaaaa: 'password_common',
    lagunelagunelagune: 'password_common',
    'Awa.Koné2026!': 'password_contextual',
    'boutique-kone-2026': 'password_contextual',
    'Bandama-Abidjan-1': 'password_contextual',
    motdepasse12345: 'password_contextual',
    [PASSWORD]: null,
    'awa aime les lagunes': null,
    '              trois espaces': null,
  }
  for (const [password, refusal] of Object.entries(refusals)) {
    assert.equal(judgePassword(password, context), refusal, password)
  }
})

test('recovery codes are ten, each of 120 bits, and read however they are typed', () => {
  const codes = newRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
    assert.ok(looksLikeRecoveryCode(code))
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `
    assert.deepEqual(hashOfRecoveryCode(typed), hashOfRecoveryCode(code))
  }
  assert.equal(looksLikeRecoveryCode('123456'), false)
})
