import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createAuthenticator } from '../../../tests/harness/authenticator.ts'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { browserAt, movePeopleClock, newPerson, peopleDeps, type TestPerson } from '../../../tests/harness/people.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { stepAt } from '../factors/totp.ts'
import { addPasskey, askForNewPasskey } from '../own-factors/change-passkeys.ts'
import { stepUpOf } from '../own-factors/factor-change.ts'
import { readSession } from '../sessions/read-session.ts'
import type { Session } from '../sessions/session.ts'
import { beginStepUp } from './begin-step-up.ts'
import { confirmStepUp } from './confirm-step-up.ts'
import { contentText, isTooLong, type StepUpContent } from './step-up.ts'
import { dropOldStepUps } from './store.ts'
import { useStepUp } from './use-step-up.ts'

const ORIGIN = 'https://console.example.com'
const OPERATION = 'payout_request.approve'
const content = { amount: 250_000, to: 'Koffi', operator: 'wave_ci' }

let db: TestDatabase
let deps: FactorDeps
let merchant_id: number
before(async () => {
  db = await openTestDatabase()
  deps = peopleDeps(db.sql)
  merchant_id = await createMerchant(db.sql, 'Boutique')
})
after(() => db[Symbol.asyncDispose]())

const refused = (code: string) => ({ kind: 'refused', code })
const person = () => newPerson(deps, { merchant_id })
const begin = (session: Session, there = deps) =>
  beginStepUp(there, { session, operation: OPERATION, subject: 'por_1', content })

function use(
  session: Session,
  step_up_id: string,
  { operation = OPERATION, subject = 'por_1' as string | null, shown = content as StepUpContent, there = deps } = {},
) {
  return there.sql.begin((tx) => useStepUp(tx, session, step_up_id, operation, subject, shown))
}

async function confirmed(awa: TestPerson, session: Session, there = deps): Promise<string> {
  const { step_up_id } = await begin(session, there)
  const answer = await confirmStepUp(there, session, step_up_id, { code: awa.nextCode() })
  assert.deepEqual(answer, { kind: 'confirmed' })
  return step_up_id
}

test('an act is done once with a fresh code, for the content that was shown', async () => {
  const awa = await person()
  const session = await awa.session()
  const begun = await begin(session)
  assert.equal(begun.totp, true)
  assert.equal(begun.passkey, null)
  assert.deepEqual(await use(session, begun.step_up_id), refused('step_up_missing'), 'not confirmed yet')
  assert.deepEqual(await confirmStepUp(deps, session, begun.step_up_id, { code: awa.nextCode() }), {
    kind: 'confirmed',
  })
  const { step_up_id } = begun
  const reordered = { operator: 'wave_ci', to: 'Koffi', amount: 250_000 }
  assert.deepEqual(
    await use(session, step_up_id, { shown: { ...content, amount: 250_001 } }),
    refused('content_changed'),
  )
  assert.deepEqual(await use(session, step_up_id, { operation: 'payout_request.reject' }), refused('step_up_missing'))
  assert.deepEqual(await use(session, step_up_id, { subject: 'por_2' }), refused('step_up_missing'))
  assert.deepEqual(await use(session, step_up_id, { subject: null }), refused('step_up_missing'))
  assert.deepEqual(await use(session, step_up_id, { shown: reordered }), { kind: 'used', step_up_id, factor: 'totp' })
  assert.deepEqual(await use(session, step_up_id), refused('step_up_used'))
})

test('a rolled-back act uses up nothing, and of two simultaneous acts one is done', async () => {
  const awa = await person()
  const session = await awa.session()
  const step_up_id = await confirmed(awa, session)
  const rolledBack = deps.sql.begin(async (tx) => {
    await useStepUp(tx, session, step_up_id, OPERATION, 'por_1', content)
    throw new Error('the act fails')
  })
  await assert.rejects(rolledBack, /the act fails/)
  const results = await Promise.all([use(session, step_up_id), use(session, step_up_id)])
  assert.deepEqual(results.map(({ kind }) => kind).sort(), ['refused', 'used'])
})

test("another session's step-up does not count, even of the same person", async () => {
  const awa = await person()
  const session = await awa.session()
  const other = await readSession(deps, await awa.signIn())
  const { step_up_id } = await begin(session)
  const answer = await confirmStepUp(deps, other!, step_up_id, { code: awa.nextCode() })
  assert.deepEqual(answer, refused('step_up_not_found'))
  assert.deepEqual(await use(other!, step_up_id), refused('step_up_missing'))
})

test('a code counts for one act, and never after it opened a session', async () => {
  const awa = await person()
  const session = await awa.session()
  const ofTheInvitation = awa.code(stepAt(deps.clock.milliseconds()) - 1)
  const first = await begin(session)
  assert.deepEqual(
    await confirmStepUp(deps, session, first.step_up_id, { code: ofTheInvitation }),
    refused('code_used'),
  )
  const code = awa.nextCode()
  const second = await begin(session)
  const answers = await Promise.all([
    confirmStepUp(deps, session, first.step_up_id, { code }),
    confirmStepUp(deps, session, second.step_up_id, { code }),
  ])
  assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['confirmed', 'refused'])
})

test('ten wrong codes end a question, and thirty those of a session, with a warning before', async () => {
  const awa = await person()
  const session = await awa.session()
  const answer = (step_up_id: string, code: string) => confirmStepUp(deps, session, step_up_id, { code })
  const wrong = async (step_up_id: string, times: number) => {
    const answers: unknown[] = []
    for (let time = 0; time < times; time += 1) answers.push(await answer(step_up_id, 'abcdef'))
    return answers
  }
  for (let round = 0; round < 2; round += 1) {
    const { step_up_id } = await begin(session)
    assert.deepEqual(await wrong(step_up_id, 10), Array(10).fill(refused('wrong_code')))
    assert.deepEqual(await answer(step_up_id, awa.code()), refused('step_up_over'))
  }
  const { step_up_id } = await begin(session)
  assert.deepEqual(await wrong(step_up_id, 10), [
    ...Array(4).fill(refused('wrong_code')),
    ...[5, 4, 3, 2, 1].map((tries_left) => ({ ...refused('wrong_code'), tries_left, after_that: 'sign_in' })),
    refused('session_worn_out'),
  ])
  const next = await begin(session)
  assert.deepEqual(await answer(next.step_up_id, awa.nextCode()), refused('session_worn_out'))
})

test('thirty wrong codes end a session, also when forty arrive at once for several questions', async () => {
  const awa = await person()
  const session = await awa.session()
  const questions = await Promise.all([begin(session), begin(session), begin(session), begin(session)])
  const answers = await Promise.all(
    questions.flatMap(({ step_up_id }) =>
      Array.from({ length: 10 }, () => confirmStepUp(deps, session, step_up_id, { code: 'abcdef' })),
    ),
  )
  const codes = answers.map((answer) => (answer.kind === 'refused' ? answer.code : answer.kind)).sort()
  // The thirtieth is answered as the last one.
  assert.deepEqual(codes, [...Array(11).fill('session_worn_out'), ...Array(29).fill('wrong_code')])
  const [counted] = await db.sql`
    select sum(wrong)::integer as wrong from step_ups where session_id = ${session.session_id}`
  assert.equal(counted!.wrong, 30)
})

test('of more than twenty open questions of a session the oldest goes, and none with a wrong answer', async () => {
  const awa = await person()
  const session = await awa.session()
  const first = await begin(session)
  const answered = await begin(session)
  await confirmStepUp(deps, session, answered.step_up_id, { code: 'abcdef' })
  for (let asked = 0; asked < 22; asked += 1) await begin(session)
  const kept = await db.sql<{ step_up_id: string; wrong: number }[]>`
    select step_up_id, wrong from step_ups where session_id = ${session.session_id}`
  assert.equal(kept.filter(({ wrong }) => wrong === 0).length, 20)
  assert.deepEqual(
    kept.filter(({ wrong }) => wrong > 0).map(({ step_up_id }) => step_up_id),
    [answered.step_up_id],
  )
  const answer = { code: awa.nextCode() }
  assert.deepEqual(await confirmStepUp(deps, session, first.step_up_id, answer), refused('step_up_not_found'))
})

test('a question has at most 8 kB, its subject included', async () => {
  const session = await (await person()).session()
  const act = (bytes: number) => ({ operation: OPERATION, subject: 'por_1', content: { reason: 'z'.repeat(bytes) } })
  const around = contentText({ reason: '' }).length + 'por_1'.length
  assert.equal(isTooLong(act(8_192 - around)), false)
  assert.equal(isTooLong(act(8_193 - around)), true)
  await assert.rejects(beginStepUp(deps, { session, ...act(8_193 - around) }), /too long/)
})

test('an unanswered question is gone a day after it was asked, and a proof is kept', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const awa = await newPerson(there, { merchant_id: await createMerchant(own.sql, 'Maquis') })
  const session = await awa.session()
  await begin(session, there)
  const proof = await confirmed(awa, session, there)
  await movePeopleClock(own, there.clock, 80_000)
  assert.equal(await dropOldStepUps(own.sql), 0)
  await movePeopleClock(own, there.clock, 90_000)
  assert.equal(await dropOldStepUps(own.sql), 1)
  assert.deepEqual(await own.sql`select step_up_id from step_ups`, [{ step_up_id: proof }])
})

test('a step-up lasts five minutes, confirmed or not', async () => {
  await using own = await openTestDatabase()
  const there = peopleDeps(own.sql)
  const merchant = await createMerchant(own.sql, 'Maquis')
  const awa = await newPerson(there, { merchant_id: merchant })
  const session = await awa.session()
  const late = await begin(session, there)
  const step_up_id = await confirmed(awa, session, there)
  await movePeopleClock(own, there.clock, 301)
  assert.deepEqual(await use(session, step_up_id, { there }), refused('step_up_missing'))
  const answer = await confirmStepUp(there, session, late.step_up_id, { code: awa.nextCode() })
  assert.deepEqual(answer, refused('step_up_over'))
})

test('a passkey signs the content, and its signature can be checked again by anybody', async () => {
  const awa = await person()
  const session = await awa.session()
  const authenticator = createAuthenticator()
  const asked = await askForNewPasskey(deps, session)
  const act = await beginStepUp(deps, { session, ...stepUpOf({ act: 'passkey.add' }, session) })
  await confirmStepUp(deps, session, act.step_up_id, { code: awa.nextCode() })
  const added = await addPasskey(
    deps,
    { session, browser: browserAt(), proof: { step_up_id: act.step_up_id } },
    { attempt: asked.attempt.reveal(), answer: authenticator.register(asked.options, ORIGIN), label: 'Clé' },
  )
  assert.equal(added.kind, 'added')

  const begun = await begin(session)
  const { step_up_id, passkey } = begun
  assert.equal(passkey?.allowCredentials?.[0]?.id, authenticator.credential_id)
  const answer = (assertion: Record<string, unknown>) => confirmStepUp(deps, session, step_up_id, { assertion })
  const other = await begin(session)
  assert.deepEqual(
    await answer(authenticator.assert(other.passkey!, ORIGIN)),
    refused('passkey_refused'),
    'other content',
  )
  assert.deepEqual(await answer(authenticator.assert(passkey!, 'https://evil.example')), refused('passkey_refused'))
  const unverified = authenticator.assert(passkey!, ORIGIN, { verified: false })
  assert.deepEqual(await answer(unverified), refused('passkey_refused'))
  assert.deepEqual(await answer(createAuthenticator().assert(passkey!, ORIGIN)), refused('passkey_refused'))
  const copied = authenticator.assert(passkey!, ORIGIN, { sign_count: 1 })
  assert.deepEqual(
    await confirmStepUp(deps, session, step_up_id, { assertion: copied }, '192.0.2.7'),
    refused('passkey_counted_back'),
  )
  const [trace] = await db.sql`
    select actor, host(from_address) as from_address, after from audit_log
     where act = 'step_up.refuse' and subject = ${session.person.person_id}`
  assert.deepEqual(trace, {
    actor: session.person.email,
    from_address: '192.0.2.7',
    after: { factor: 'passkey', reason: 'counted_back' },
  })
  const synchronised = await begin(session)
  assert.deepEqual(
    await confirmStepUp(deps, session, synchronised.step_up_id, {
      assertion: authenticator.assert(synchronised.passkey!, ORIGIN, { sign_count: 0, backed_up: true }),
    }),
    { kind: 'confirmed' },
  )
  const good = { ...authenticator.assert(passkey!, ORIGIN), more: 'a\u0000b' }
  assert.deepEqual(await answer(good), { kind: 'confirmed' })
  assert.deepEqual(await use(session, step_up_id), { kind: 'used', step_up_id, factor: 'passkey' })

  const [row] = await db.sql`select content, nonce, content_hash, proof from step_ups where step_up_id = ${step_up_id}`
  const { content: text, nonce, content_hash, proof } = row!
  assert.equal(text, '{"amount":250000,"operator":"wave_ci","to":"Koffi"}')
  const digest = createHash('sha256').update(text).update(nonce).digest()
  assert.deepEqual(content_hash, digest)
  const { clientDataJSON, authenticatorData, signature } = proof
  const clientData = Buffer.from(clientDataJSON, 'base64url')
  assert.equal(JSON.parse(clientData.toString()).challenge, digest.toString('base64url'))
  // The COSE key of P-256: its two coordinates are the 32 bytes behind -2 and -3.
  const cose = Buffer.from(proof.public_key, 'base64url')
  const coordinate = (name: number) => {
    const at = cose.indexOf(Buffer.of(name, 0x58, 32)) + 3
    return cose.subarray(at, at + 32).toString('base64url')
  }
  const key = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: coordinate(0x21), y: coordinate(0x22) },
    format: 'jwk',
  })
  const signed = Buffer.concat([
    Buffer.from(authenticatorData, 'base64url'),
    createHash('sha256').update(clientData).digest(),
  ])
  assert.ok(verify('sha256', signed, key, Buffer.from(signature, 'base64url')))
})
