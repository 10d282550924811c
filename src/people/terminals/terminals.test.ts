import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { browserAt, HOST, newPerson, peopleDeps, type TestPerson } from '../../../tests/harness/people.ts'
import { resetPerson } from '../../../tests/harness/people-acts.ts'
import { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { STAFF } from '../person.ts'
import type { Browser } from '../sessions/browser.ts'
import { beginStepUp } from '../step-up/begin-step-up.ts'
import { confirmStepUp } from '../step-up/confirm-step-up.ts'
import { agreeInBrowser, refuseInBrowser } from './agree-in-browser.ts'
import { askInBrowser } from './ask-in-browser.ts'
import { takeProof, takeSession } from './take-agreement.ts'

// The command line takes an agreement once: only the terminal that asked, and only if its person may still sign in.

let db: TestDatabase
let deps: FactorDeps
before(async () => {
  db = await openTestDatabase()
  deps = peopleDeps(db.sql)
})
after(() => db[Symbol.asyncDispose]())

const browser: Browser = { door: 'command_line', address: '127.0.0.1', user_agent: 'bandama, ama at a test' }
const asked = { command: 'login', options: {}, user: 'ama at a test' }
const signed = { operation: 'command_line.agree', subject: null, content: asked }

const ask = () => askInBrowser(deps, { asked, person_id: null })

async function agree(person: TestPerson, code: string): Promise<void> {
  const session = await person.session()
  const { step_up_id } = await beginStepUp(deps, { session, ...signed })
  const confirmed = await confirmStepUp(deps, session, step_up_id, { code: person.nextCode() })
  assert.deepEqual(confirmed, { kind: 'confirmed' })
  const agreed = await agreeInBrowser(deps, {
    session,
    code,
    asked,
    proof: { step_up_id, ...signed },
    browser: browserAt(),
  })
  assert.deepEqual(agreed, { kind: 'agreed' })
}

test('a session waits for an agreement and is handed out once, even to two simultaneous calls', async () => {
  const person = await newPerson(deps, { staff_roles: ['finance'] })
  const { token, code } = await ask()
  assert.deepEqual(await takeSession(deps, { token, browser }), { kind: 'waits' })
  assert.deepEqual(
    await takeProof(deps, new Secret('x'.repeat(43))),
    { kind: 'over' },
    'to another token there is none',
  )
  await agree(person, code.reveal())
  const taken = await Promise.all([takeSession(deps, { token, browser }), takeSession(deps, { token, browser })])
  assert.deepEqual(taken.map(({ kind }) => kind).sort(), ['over', 'signed_in'])
  const sessions =
    await db.sql`select from person_sessions where person_id = ${person.person_id} and door = 'command_line'`
  assert.equal(sessions.length, 1)
})

test('the agreement of a person who was reset since then opens nothing', async () => {
  const person = await newPerson(deps, { staff_roles: ['finance'] })
  const { token, code } = await ask()
  await agree(person, code.reveal())
  assert.equal((await resetPerson(deps, person.person_id, STAFF, HOST)).kind, 'reset')
  assert.deepEqual(await takeSession(deps, { token, browser }), { kind: 'over' })
})

test('of a simultaneous agreement and refusal one counts, and the command line learns which one', async () => {
  const person = await newPerson(deps, { staff_roles: ['finance'] })
  const session = await person.session()
  for (let round = 0; round < 10; round += 1) {
    const { token, code: secret } = await ask()
    const code = secret.reveal()
    const answer = { session, code, asked, browser: browserAt() }
    const { step_up_id } = await beginStepUp(deps, { session, ...signed })
    await db.sql`
      update step_ups
         set factor = 'totp', proof = '{}', confirmed_at = clock_now()
       where step_up_id = ${step_up_id}`
    const answers = await Promise.all([
      agreeInBrowser(deps, { ...answer, proof: { step_up_id, ...signed } }),
      refuseInBrowser(deps, answer),
    ])
    const [won] = answers.filter(({ kind }) => kind !== 'refused')
    assert.equal(answers.filter(({ kind }) => kind === 'refused').length, 1)
    assert.equal((await takeProof(deps, token)).kind, won!.kind === 'agreed' ? 'proven' : 'declined')
  }
})

test('a secret prints itself hidden, the code too', async () => {
  const { token, code } = await ask()
  assert.equal(
    `${token} ${code} ${JSON.stringify({ token, code })}`,
    '[secret] [secret] {"token":"[secret]","code":"[secret]"}',
  )
})
