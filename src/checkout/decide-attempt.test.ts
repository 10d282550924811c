import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkOf } from '../../tests/harness/checkout-rows.ts'
import fc from '../../tests/harness/property.ts'
import { effectOf, mayAttempt, type SessionState } from './decide-attempt.ts'
import { amountOf, type LinkRow, linkSituation } from './link.ts'
import { ATTEMPTS_MAX, sessionStatuses } from './session.ts'

const open: SessionState = { status: 'open', attempts: 0, attempt_live: false, is_over: false }
const link = linkOf('lnk_1')

for (const [why, session, of, expected] of [
  ['an open session', open, null, null],
  ['one of a link', open, link, null],
  ['one that failed before', { ...open, attempts: ATTEMPTS_MAX - 1 }, null, null],
  ['one tried too often', { ...open, attempts: ATTEMPTS_MAX }, null, 'too_many_attempts'],
  ['one under way', { ...open, attempts: 1, attempt_live: true }, null, 'idempotency_in_progress'],
  ['one under way whose time is over', { ...open, attempt_live: true, is_over: true }, null, 'idempotency_in_progress'],
  ['one whose time is over, before the sweep', { ...open, is_over: true }, null, 'session_expired'],
  ['one that has expired', { ...open, status: 'expired', is_over: true }, null, 'session_expired'],
  ['one that is paid', { ...open, status: 'paid' }, null, 'session_closed'],
  ['one that is paid, and its time over', { ...open, status: 'paid', is_over: true }, null, 'session_closed'],
  ['one that was closed', { ...open, status: 'closed' }, null, 'session_closed'],
  ['one of a link that was closed', open, { ...link, status: 'closed' }, 'lien_indisponible'],
  ['one of a link that is paid', open, { ...link, status: 'paid' }, 'lien_indisponible'],
  ["one of a link in another payer's hands", open, { ...link, taken_by: 'cs_2' }, 'lien_indisponible'],
  ['one of a reusable link, whoever else pays', open, { ...link, reusable: true, taken_by: 'cs_2' }, null],
  ['one of a link that has expired since', open, { ...link, is_over: true }, null],
] as const) {
  test(`an attempt on ${why}: ${expected ?? 'taken'}`, () => {
    assert.equal(mayAttempt(session as SessionState, of as LinkRow | null), expected)
  })
}

/** Applies one event of a session's attempts, as createTakeAttempt and endAttempt do. */
type Step = 'attempt' | { end: number; succeeded: boolean } | 'time' | 'close'
const steps = fc.array(
  fc.oneof(
    fc.constant<Step>('attempt'),
    fc.record({ end: fc.nat(5), succeeded: fc.boolean() }),
    fc.constant<Step>('time'),
    fc.constant<Step>('close'),
  ),
  { maxLength: 40 },
)

test('in any order of events, one payment pays, every other success is kept, and at most one attempt is under way', () => {
  fc.assert(
    fc.property(steps, (story) => {
      let session = { ...open, payment_id: null as string | null }
      const payments: { ended: boolean; succeeded: boolean }[] = []
      const kept: number[] = []
      for (const step of story) {
        if (step === 'attempt') {
          if (mayAttempt(session, null) !== null) continue
          session = {
            ...session,
            attempts: session.attempts + 1,
            payment_id: String(payments.length),
            attempt_live: true,
          }
          payments.push({ ended: false, succeeded: false })
        } else if (step === 'time') {
          session = { ...session, is_over: true }
          if (session.status === 'open' && !session.attempt_live) session = { ...session, status: 'expired' }
        } else if (step === 'close') {
          if (session.status === 'open' && !session.attempt_live) session = { ...session, status: 'closed' }
        } else {
          const payment = payments[step.end]
          // A refusal is final. After a lapse one proof can still come.
          if (payment === undefined || payment.succeeded || (payment.ended && !step.succeeded)) continue
          Object.assign(payment, { ended: true, succeeded: step.succeeded })
          const effect = effectOf(session, { payment_id: String(step.end), succeeded: step.succeeded })
          if (effect.second_success) kept.push(step.end)
          if (effect.freed) session = { ...session, attempt_live: false }
          if (effect.paid_by !== null) {
            session = { ...session, status: 'paid', payment_id: effect.paid_by, attempt_live: false }
          }
        }
        assert.ok(!session.attempt_live || session.status === 'open')
      }
      const successes = payments.flatMap(({ succeeded }, at) => (succeeded ? [at] : []))
      assert.equal(session.status === 'paid', successes.length > 0)
      assert.deepEqual(
        kept.toSorted((one, other) => one - other),
        successes.filter((at) => String(at) !== session.payment_id),
      )
      if (session.status === 'paid') assert.ok(successes.includes(Number(session.payment_id)))
    }),
    { numRuns: 2_000 },
  )
})

test('a success always has an effect, and a failure never pays', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sessionStatuses),
      fc.boolean(),
      fc.constantFrom('a', 'b', null),
      fc.boolean(),
      (status, live, payment_id, succeeded) => {
        const effect = effectOf(
          { status, payment_id, attempt_live: live && status === 'open' },
          { payment_id: 'a', succeeded },
        )
        const noticed = effect.paid_by !== null || effect.second_success
        // Only a second proof for the payment that paid has no effect.
        const again = status === 'paid' && payment_id === 'a'
        assert.equal(noticed, succeeded && !again)
      },
    ),
  )
})

test('a link has a fixed amount, or two bounds with an amount between them, or is unreadable', () => {
  const francs = fc.option(fc.integer({ min: -2, max: 20 }))
  fc.assert(
    fc.property(francs, francs, francs, (amount, min_amount, max_amount) => {
      const asked = amountOf({ amount, min_amount, max_amount })
      if (asked === null) return
      if (asked.kind === 'fixed') assert.ok(asked.amount >= 1 && min_amount === null && max_amount === null)
      else assert.ok(amount === null && asked.min_amount >= 1 && asked.min_amount <= asked.max_amount)
    }),
  )
  assert.deepEqual(amountOf({ amount: 5, min_amount: null, max_amount: null }), { kind: 'fixed', amount: 5 })
  assert.deepEqual(amountOf({ amount: null, min_amount: 5, max_amount: 5 }), {
    kind: 'free',
    min_amount: 5,
    max_amount: 5,
  })
})

test('the state of a link: paid, closed and held by a payer come before expired', () => {
  assert.equal(linkSituation(link), 'open')
  assert.equal(linkSituation({ ...link, taken_by: 'cs_1' }), 'busy')
  assert.equal(linkSituation({ ...link, taken_by: 'cs_1', is_over: true }), 'busy')
  assert.equal(linkSituation({ ...link, is_over: true }), 'expired')
  assert.equal(linkSituation({ ...link, status: 'paid', is_over: true }), 'paid')
  assert.equal(linkSituation({ ...link, status: 'closed', taken_by: 'cs_1' }), 'closed')
})
