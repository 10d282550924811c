import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionFacts } from '../../src/checkout/page/facts.ts'
import { type Installation, newPayer, openInstallation, payment } from '../harness/installation.ts'
import { checkPayment } from './answers.ts'
import {
  auditPasses,
  json,
  newSession,
  open,
  payOn,
  referenceOf,
  submit,
  untilAsked,
  untilAttempt,
  untilStatus,
} from './payer.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'api']], env: { SIMULATOR_DELAY_MS: '2000' } })
})
after(() => installation[Symbol.asyncDispose]())

/** A session whose payer has been asked, and the operator's answer is there. */
async function attempt(msisdn: string): Promise<{ path: string; facts: SessionFacts; key: string }> {
  const { key } = await installation.newMerchant()
  const { path } = await newSession(installation, key)
  await payOn(installation, path, msisdn)
  return { path, key, facts: await untilAsked(installation, path) }
}

test('a prompt on the telephone', async () => {
  const { path, facts, key } = await attempt(newPayer())
  assert.equal(facts.attempt?.next_action?.type, 'approve_on_phone')
  assert.equal(facts.attempt.next_action.dial_code, undefined)
  // The merchant's server sees the same on the payment.
  const payment = checkPayment(await installation.read(key, facts.attempt.payment_id), 200)
  assert.deepEqual(payment.next_action, facts.attempt.next_action)
  await untilStatus(installation, path, 'paid')
})

test('a code to dial', async () => {
  const { path, facts } = await attempt('0700000007')
  const { type, dial_code, message } = facts.attempt!.next_action!
  assert.deepEqual([type, dial_code], ['approve_on_phone', '*144*82#'])
  assert.match(message, /\*144\*82#/)
  await untilStatus(installation, path, 'paid')
})

test('a code to type: the operator gets it once, through any process, and it is stored nowhere', async () => {
  const { path, facts, key } = await attempt('0500000008')
  assert.equal(facts.attempt?.next_action?.type, 'enter_code')
  const code = '12 34-56'
  const answers = await Promise.all(
    [0, 1, 0, 1].map((process) => submit(installation, `${path}/code`, { nonce: facts.nonce, code }, { process })),
  )
  for (const answer of answers) {
    assert.equal(answer.status, 200, answer.text)
    const { attempt } = answer.json() as SessionFacts
    assert.deepEqual([attempt?.code_submitted, attempt?.next_action], [true, null])
  }
  await untilStatus(installation, path, 'paid')
  const [row] = await installation.db.sql<{ submissions: number; answers: number }[]>`
    select (select count(*)::int from code_submissions where subject_id = ${facts.attempt!.payment_id}) as submissions,
           (select count(*)::int from operator_answers
             where subject_id = ${facts.attempt!.payment_id} and source = 'send') as answers`
  assert.deepEqual(row, { submissions: 1, answers: 2 })
  await codeIsNowhere('123456')
  assert.equal(checkPayment(await installation.read(key, facts.attempt!.payment_id), 200).status, 'succeeded')
})

/** A code of six digits would be found by chance in a random text or behind the point of a time, so only whole values count. */
async function codeIsNowhere(code: string): Promise<void> {
  const { sql } = installation.db
  const tables = await sql<{ name: string }[]>`
    select relname::text as name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  for (const { name } of tables) {
    const [found] = await sql<{ rows: number }[]>`
      select count(*)::int as rows
        from ${sql(name)} as t
       where t::text ~ ${`(?<![0-9a-f-]|[0-9]\\.)${code}(?![0-9a-f-])`} and t::text not like '%In test mode it is%'`
    assert.equal(found!.rows, 0, name)
  }
  for (const service of installation.services)
    assert.doesNotMatch(service.output(), new RegExp(`(?<!\\w|\\d\\.)${code}\\b`))
}

test('a wrong code fails the attempt and says so; the payer starts another', async () => {
  const { path, facts } = await attempt('0700000008')
  const answer = await submit(installation, `${path}/code`, { nonce: facts.nonce, code: '654321' })
  assert.equal(answer.status, 200)
  const failed = await untilAttempt(installation, path, 'failed')
  assert.deepEqual([failed.attempt?.failure_code, failed.payable, failed.status], ['payer_wrong_code', true, 'open'])
  // That attempt waits for no code any more.
  const late = await submit(installation, `${path}/code`, { nonce: failed.nonce, code: '123456' })
  assert.equal(late.status, 400, late.text)
  await payOn(installation, path, newPayer())
  await untilStatus(installation, path, 'paid')
  await auditPasses(installation)
})

test('a code can also come as a form, and a reload shows the page again', async () => {
  const { path, facts } = await attempt('0700000008')
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
  const wrong = await installation.ask({ path: `${path}/code`, text: `nonce=${facts.nonce}&code=12`, headers: form })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /<form[^>]*\/code/)
  const reloaded = await installation.ask({ path: `${path}/code`, headers: { Accept: 'text/html' } })
  assert.equal(reloaded.status, 200)
  const text = `nonce=${facts.nonce}&code=123456`
  const right = await installation.ask({ path: `${path}/code?lang=en`, text, headers: form })
  assert.deepEqual([right.status, right.headers.location], [303, `${path}?lang=en`])
  await untilStatus(installation, path, 'paid')
})

test("the operator's app: the payer goes there, says yes or no, and comes back to the same page", async () => {
  for (const [answer, status] of [
    ['yes', 'succeeded'],
    ['no', 'failed'],
  ] as const) {
    const { path, facts } = await attempt('0700000009')
    const { type, url } = facts.attempt!.next_action!
    assert.equal(type, 'redirect')
    const app = new URL(url!).pathname
    assert.match(app, /^\/simulator\/[0-9a-f-]{36}$/)
    const shown = await installation.ask({ path: app })
    assert.match(shown.text, /10\u202f000 <small>F\u00a0CFA/)
    assert.match(String(shown.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const said = await installation.ask({ path: app, text: `answer=${answer}`, headers: form })
    assert.equal(said.status, 303)
    const back = await installation.ask({ path: said.headers.location! })
    assert.deepEqual([back.status, back.headers.location], [303, path])
    await untilAttempt(installation, path, status)
    // A second answer changes nothing.
    await installation.ask({ path: app, text: 'answer=yes', headers: form })
    assert.match((await installation.ask({ path: app })).text, /déjà répondu/)
    assert.equal((await open(installation, path)).attempt?.status, status)
  }
})

test('without the reference nobody reaches the app or the way back', async () => {
  const { facts } = await attempt(newPayer())
  const reference = await referenceOf(installation, facts.attempt!.payment_id)
  // An order that is approved by a prompt has no app.
  assert.equal((await installation.ask({ path: `/simulator/${reference}` })).status, 404)
  for (const other of ['x', '00000000-0000-4000-8000-000000000000', `${reference}x`, '%00', '..%2f..']) {
    for (const address of ['simulator', 'return']) {
      const { status } = await installation.ask({ path: `/${address}/${other}`, headers: json })
      assert.ok(status === 404 || status === 400, `/${address}/${other}: ${status}`)
    }
  }
})

test('a payer whose merchant uses no hosted page does not come back from the app to one of our pages', async () => {
  const { key } = await installation.newMerchant()
  const made = await installation.ask(payment(key, { amount: 100, counterparty: { msisdn: '0700000009' } }))
  const { id } = made.json() as { id: string }
  assert.equal((await installation.ask({ path: `/return/${await referenceOf(installation, id)}` })).status, 404)
})
