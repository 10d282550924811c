import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../platform/clock.ts'
import { Secret } from '../../values/secret.ts'
import { factorKey } from '../factors/factor-deps.ts'
import { askPasskey, readQuestion } from './passkey-question.ts'

const deps = { key: factorKey(new Secret('a key of the tests')), clock: createClock() }
const ask = () => askPasskey(deps, { purpose: 'passkey', person_id: null }).token.reveal()

test('a question is read in the one spelling that we gave it, so that its answer counts once', () => {
  for (let nth = 0; nth < 20; nth += 1) {
    const token = ask()
    assert.notEqual(readQuestion(deps, token, 'passkey'), null)
    const last = token.at(-1)!
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spellings = [
      `${token}=`,
      `${token} `,
      `${token}\n`,
      ` ${token}`,
      `${token.slice(0, 10)} ${token.slice(10)}`,
      token.replaceAll('-', '+').replaceAll('_', '/'),
      ...[...alphabet].filter((letter) => letter !== last).map((letter) => token.slice(0, -1) + letter),
    ].filter((spelling) => spelling !== token)
    for (const spelling of spellings) assert.equal(readQuestion(deps, spelling, 'passkey'), null, spelling)
  }
})

test('a question is read for its own purpose only', () => {
  assert.equal(readQuestion(deps, ask(), 'registration'), null)
})
