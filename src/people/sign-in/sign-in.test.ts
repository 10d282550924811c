import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { untilWaiting } from '../../../tests/harness/hold.ts'
import {
  browserAt,
  movePeopleClock,
  newPerson,
  PASSWORD,
  peopleDeps,
  type TestPerson,
} from '../../../tests/harness/people.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { findSigningPerson } from '../factors/person-store.ts'
import { stepAt } from '../factors/totp.ts'
import type { Browser } from '../sessions/browser.ts'
import { readSession } from '../sessions/read-session.ts'
import { lockPerson } from '../store.ts'
import { closeAttempts, dropOldAttempts } from './attempt-store.ts'
import { beginSignIn, finishSignIn } from './sign-in.ts'
import { askForPasskey, signInByPasskey } from './sign-in-by-passkey.ts'
import { mayTryPassword } from './throttle.ts'
import { dropOldWrongPasswords } from './wrong-password-store.ts'

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

async function begin(email: string, password = PASSWORD, there = deps): Promise<string> {
  const begun = await beginSignIn(there, { email, password, browser })
  assert.ok(begun.kind === 'second_step', JSON.stringify(begun))
  return begun.attempt.reveal()
}

const finish = (attempt: string, code: string, there = deps) => finishSignIn(there, { attempt, code, browser })

async function actsOf(person: TestPerson): Promise<{ act: string; after: Record<string, unknown> }[]> {
  return db.sql`
    select act, after, host(from_address) as from_address, door
      from audit_log
     where actor = ${person.email}
     order by at, id`
}

/** A code that is none of these minutes: of the million, 41 are recognised. */
function wrongCode(person: TestPerson): string {
  const now = stepAt(deps.clock.milliseconds())
  const recognised = new Set(Array.from({ length: 121 }, (_, at) => person.code(now - 60 + at)))
  for (let number = 0; ; number += 1) {
    const code = String(number).padStart(6, '0')
    if (!recognised.has(code)) return code
  }
}

describe('signing in', () => {
  test('takes a password and a code, and opens a session with a token of its own', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const token = await awa.signIn()
    assert.notEqual(token, awa.token, 'a token that the browser had before is never taken over')
    const session = await readSession(deps, token)
    assert.equal(session?.factor, 'totp')
    assert.equal(session?.person.person_id, awa.person_id)
    const [line] = (await actsOf(awa)).slice(-1)
    const after = { factor: 'totp', refused_before: 0 }
    assert.deepEqual(line, { act: 'session.open', after, from_address: '192.0.2.1', door: 'console' })
  })

  test('finds a person however their address is written', async () => {
    const awa = await newPerson(deps, { merchant_id })
    await begin(` ${awa.email.toUpperCase()} `)
  })

  test('answers a wrong password and an unknown address in one way', async () => {
    const awa = await newPerson(deps, { merchant_id })
    for (const email of [awa.email, 'nobody@example.com', '', '\0', 'x'.repeat(300)]) {
      const begun = await beginSignIn(deps, { email, password: 'un autre mot de passe', browser })
      assert.deepEqual(begun, refused('wrong_credentials'))
    }
  })

  test('writes wrong passwords down without one line for each', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const lines = async () =>
      (await actsOf(awa)).filter(({ act }) => act === 'session.refuse').map((line) => line.after)
    const counted = (refusals: number) =>
      waitFor(async () => {
        const [row] = await db.sql`select refused from person_passwords where person_id = ${awa.person_id}`
        return row!.refused === refusals
      })
    for (let times = 1; times <= 11; times += 1) {
      // From ten addresses: the limit of one would end it.
      const from = browserAt(`198.51.100.${times}`)
      await beginSignIn(deps, { email: awa.email, password: 'un autre mot de passe', browser: from })
      await counted(times)
    }
    assert.deepEqual(await lines(), [
      { factor: 'password', refused: 1 },
      { factor: 'password', refused: 10 },
    ])
    await awa.signIn()
    assert.deepEqual((await actsOf(awa)).at(-1)?.after, { factor: 'totp', refused_before: 11 })
    await counted(0)
  })

  test('accepts a code once, from one of two simultaneous requests', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const attempts = [await begin(awa.email), await begin(awa.email)]
    const code = awa.nextCode()
    const results = await Promise.all(attempts.map((attempt) => finish(attempt, code)))
    assert.deepEqual(results.map(({ kind }) => kind).sort(), ['refused', 'signed_in'])
    assert.deepEqual(
      await finish(attempts[results.findIndex(({ kind }) => kind === 'refused')]!, code),
      refused('code_used'),
    )
    assert.deepEqual(
      await finish(attempts[results.findIndex(({ kind }) => kind === 'signed_in')]!, awa.nextCode()),
      refused('attempt_over'),
    )
  })

  test('waits for a change of factors that has begun, which ends its attempt', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const attempt = await begin(awa.email)
    const finished = await db.sql.begin(async (tx) => {
      await lockPerson(tx, awa)
      const finishing = finish(attempt, awa.nextCode())
      await untilWaiting(db.sql)
      await closeAttempts(tx, awa.person_id)
      return { finishing }
    })
    assert.deepEqual(await finished.finishing, refused('attempt_over'))
  })

  test('refuses the code of the invitation again within the same half minute', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const code = awa.code(stepAt(deps.clock.milliseconds()) - 1)
    assert.deepEqual(await finish(await begin(awa.email), code), refused('code_used'))
  })

  test('ends an attempt after ten wrong codes, with a warning before, and says so in the audit log', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const attempt = await begin(awa.email)
    const wrong = wrongCode(awa)
    for (let left = 9; left > 0; left -= 1) {
      const warning = left <= 5 ? { tries_left: left, after_that: 'password' } : {}
      assert.deepEqual(await finish(attempt, wrong), { ...refused('wrong_code'), ...warning })
    }
    assert.deepEqual(await finish(attempt, wrong), refused('attempt_over'))
    assert.deepEqual(await finish(attempt, awa.nextCode()), refused('attempt_over'))
    assert.deepEqual((await actsOf(awa)).at(-1)?.act, 'session.refuse')
    await awa.signIn()
  })

  test('stops the guessing of codes with a known password: fifty wrong ones a day, with a warning before', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const wrong = wrongCode(awa)
    const answers: unknown[] = []
    // The attempts of this day ended early, so that its limit comes before that of the sixth attempt.
    for (const times of [9, 9, 9, 9, 9, 5]) {
      const attempt = await begin(awa.email)
      for (let time = 0; time < times; time += 1) answers.push(await finish(attempt, wrong))
    }
    assert.deepEqual(answers.slice(45), [
      ...[4, 3, 2, 1].map((tries_left) => ({ ...refused('wrong_code'), tries_left, after_that: 'day' })),
      refused('codes_of_day_over'),
    ])
    assert.deepEqual(await finish(await begin(awa.email), awa.nextCode()), refused('codes_of_day_over'))
  })

  test('says that a clock is wrong, after the right password only', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const late = awa.code(stepAt(deps.clock.milliseconds()) - 18)
    assert.deepEqual(await finish(await begin(awa.email), late), refused('clock_wrong'))
    assert.deepEqual(await finish('a'.repeat(43), late), refused('attempt_over'))
  })

  test('takes a recovery code once, and says how many are left', async () => {
    const awa = await newPerson(deps, { merchant_id })
    const [code] = awa.recovery_codes
    const answer = await finish(await begin(awa.email), code!.toUpperCase())
    assert.ok(answer.kind === 'signed_in')
    assert.equal(answer.recovery_codes_left, 9)
    assert.equal((await readSession(deps, answer.session.token.reveal()))?.factor, 'recovery_code')
    assert.deepEqual(await finish(await begin(awa.email), code!), refused('wrong_code'))
    const issa = await newPerson(deps, { merchant_id })
    assert.deepEqual(await finish(await begin(issa.email), awa.recovery_codes[1]!), refused('wrong_code'))
  })

  test('a second page is over after ten minutes, and for a person disabled meanwhile', async () => {
    await using own = await openTestDatabase()
    const there = peopleDeps(own.sql)
    const merchant = await createMerchant(own.sql, 'Maquis')
    const awa = await newPerson(there, { merchant_id: merchant })
    const attempt = await begin(awa.email, PASSWORD, there)
    await movePeopleClock(own, there.clock, 601)
    assert.deepEqual(await finish(attempt, awa.nextCode(), there), refused('attempt_over'))
    const second = await begin(awa.email, PASSWORD, there)
    await own.sql`update persons set status = 'disabled' where person_id = ${awa.person_id}`
    assert.deepEqual(await finish(second, awa.nextCode(), there), refused('attempt_over'))
    const begun = await beginSignIn(there, { email: awa.email, password: PASSWORD, browser })
    assert.deepEqual(begun, refused('wrong_credentials'))
  })

  test('is forgotten a day after its attempt was over, when its wrong codes count no longer, and a passkey’s at once', async () => {
    await using own = await openTestDatabase()
    const there = peopleDeps(own.sql)
    const merchant = await createMerchant(own.sql, 'Maquis')
    const awa = await newPerson(there, { merchant_id: merchant })
    await awa.signIn()
    const { attempt } = await askForPasskey(there)
    await signInByPasskey(there, { attempt: attempt.reveal(), answer: {}, browser })
    const attempts = async () => (await own.sql`select count(*)::integer as count from sign_in_attempts`)[0]!.count
    const made: number = await attempts()
    await movePeopleClock(own, there.clock, 300)
    assert.equal(await dropOldAttempts(own.sql), 0)
    await movePeopleClock(own, there.clock, 86_400)
    assert.equal(await dropOldAttempts(own.sql), 1)
    await movePeopleClock(own, there.clock, 86_400 + 601)
    assert.equal(await dropOldAttempts(own.sql), made - 1)
    assert.equal(await attempts(), 0)
  })
})

describe('strangers who guess', () => {
  test('are slowed by address, and by the e-mail address, and the person at their own place is not', async () => {
    const there = { ...peopleDeps(db.sql), sign_ins_per_address: 12 }
    const awa = await newPerson(there, { merchant_id })
    const guess = (address: string, email = awa.email) =>
      beginSignIn(there, { email, password: 'un autre mot de passe', browser: browserAt(address) })
    const codes: string[] = []
    // Ten for one address of mail from one place; over that, twelve of the place for whatever address.
    for (let times = 0; times < 11; times += 1) codes.push(codeOfRefusal(await guess('203.0.113.9')))
    assert.deepEqual(codes.slice(9), ['wrong_credentials', 'too_many_attempts'])
    assert.equal(codeOfRefusal(await guess('203.0.113.9', 'other@example.com')), 'wrong_credentials')
    assert.equal(codeOfRefusal(await guess('203.0.113.9', 'third@example.com')), 'too_many_attempts')
    // Strangers from everywhere: twenty in a minute, then none.
    for (let times = 0; times < 10; times += 1) codes.push(codeOfRefusal(await guess(`198.51.100.${times}`)))
    assert.equal(codeOfRefusal(await guess('198.51.100.200')), 'too_many_attempts')
    const unknown = await beginSignIn(there, {
      email: awa.email,
      password: PASSWORD,
      browser: browserAt('198.51.100.201'),
    })
    assert.deepEqual(unknown, refused('too_many_attempts'), 'the right password does not show itself either')
    await awa.signIn()
  })

  test('use up a network for others in unknown browsers alone, and correct passwords use up nothing', async () => {
    const there = { ...peopleDeps(db.sql), sign_ins_per_address: 4 }
    const address = '203.0.113.77'
    const phone = { ...browserAt(address), mark: 'p'.repeat(43) }
    const awa = await newPerson(there, { merchant_id, browser: phone })
    const attempt = async (email: string, password: string, from: Browser) =>
      codeOfRefusal(await beginSignIn(there, { email, password, browser: from }))
    // A town behind one address: more people sign in from new browsers than there may be wrong passwords.
    const town = await Promise.all(Array.from({ length: 5 }, () => newPerson(there, { merchant_id })))
    for (const person of town) assert.equal(await attempt(person.email, PASSWORD, browserAt(address)), 'second_step')
    const spray = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        attempt(`nobody${n}@example.com`, 'un autre mot de passe', browserAt(address)),
      ),
    )
    const checked = spray.filter((code) => code !== 'too_many_attempts')
    assert.equal(checked.length, 4, spray.join())
    assert.equal(await attempt(town[0]!.email, PASSWORD, browserAt(address)), 'too_many_attempts')
    assert.equal(await attempt(awa.email, PASSWORD, browserAt(address)), 'too_many_attempts', 'a known network')
    await awa.signIn()
    const another = { ...browserAt(address), mark: phone.mark }
    assert.equal(await attempt(town[0]!.email, PASSWORD, another), 'too_many_attempts', 'the browser of somebody else')
  })

  test('are stopped for the hour and the day, and a known browser and a known network are not', async () => {
    await using own = await openTestDatabase()
    const there = peopleDeps(own.sql)
    const merchant = await createMerchant(own.sql, 'Maquis')
    const mark = 'm'.repeat(43)
    const phone = { ...browserAt('203.0.113.1'), mark }
    const awa = await newPerson(there, { merchant_id: merchant, browser: phone })
    let seconds = 3_600 - Math.floor((there.clock.milliseconds() / 1_000) % 3_600)
    const wait = (more: number) => {
      seconds += more
      return movePeopleClock(own, there.clock, seconds)
    }
    const attempt = async (password: string, from: Browser, email = awa.email) =>
      codeOfRefusal(await beginSignIn(there, { email, password, browser: from }))
    /** Counts guesses of one place, or from ever new ones, until none is looked at in this hour; how many were. */
    const guessUntilStopped = async (known: string | null, email = awa.email) => {
      for (let looked_at = 0; ; looked_at += 1) {
        if (looked_at % 10 === 0) await wait(61)
        if (!(await mayTryPassword(there, { email, address: `198.51.100.${looked_at}`, known }))) return looked_at
      }
    }
    await wait(1)
    assert.equal(await guessUntilStopped(null), 30)
    assert.equal(await guessUntilStopped(null, 'nobody@example.com'), 30)
    await wait(61)
    const stranger = browserAt('198.51.100.1')
    assert.equal(await attempt(PASSWORD, stranger), 'too_many_attempts')
    assert.equal(await attempt(PASSWORD, stranger, 'nobody@example.com'), 'too_many_attempts', 'no difference shows')
    assert.equal(await attempt(PASSWORD, { ...stranger, mark: 'n'.repeat(43) }), 'too_many_attempts')
    assert.equal(await attempt(PASSWORD, { ...stranger, mark }), 'second_step', 'the known browser')
    assert.equal(await attempt(PASSWORD, browserAt('203.0.113.1')), 'second_step', 'the known network')

    // Another person at the same network uses up the network's count, and not the browser's. A right password is not counted.
    assert.equal(await guessUntilStopped('network 203.0.113.1'), 30)
    await wait(61)
    assert.equal(await attempt(PASSWORD, browserAt('203.0.113.1')), 'too_many_attempts')
    assert.equal(await attempt(PASSWORD, phone), 'second_step')
    const [{ wrong }] = (await own.sql`select wrong from wrong_passwords where place like 'browser %'`) as [Counted]
    assert.equal(wrong, 0)

    const day = [30]
    while (day.length < 5) {
      await wait(3_600)
      day.push(await guessUntilStopped(null))
    }
    assert.deepEqual(day, [30, 30, 30, 10, 0])
    await wait(86_400 + 3_600)
    assert.ok((await dropOldWrongPasswords(own.sql)) > 0)
    assert.equal((await own.sql`select from wrong_passwords`).length, 0)
    assert.equal(await attempt(PASSWORD, stranger), 'second_step')
  })

  test('a network of IPv6 is known whichever of its addresses comes', async () => {
    const awa = await newPerson(deps, { merchant_id, browser: browserAt('2001:db8:1:2::1') })
    const known = async (address: string) => (await findSigningPerson(db.sql, awa.email, { address }))?.known
    assert.equal(await known('2001:db8:1:2:ffff::9'), 'network 2001:db8:1:2::/64')
    assert.equal(await known('2001:db8:1:3::1'), null)
  })
})

type Counted = { wrong: number }

function codeOfRefusal(answer: { kind: string; code?: string }): string {
  return answer.code ?? answer.kind
}
