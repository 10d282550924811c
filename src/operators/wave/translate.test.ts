import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { Order } from '../port.ts'
import {
  errorIn,
  refundAmong,
  refusals,
  translateNewPayout,
  translateNewRefund,
  translateNewSession,
  translatePayout,
  translateSession,
} from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const order = { reference: ID, direction: 'collect', amount: 2_500, currency: 'XOF', msisdn: null } as Order

function answered(json: unknown, status = 200, headers = {}): OperatorReply {
  return { kind: 'answered', status, headers, body: JSON.stringify(json), json }
}

const session = {
  id: 'cos-1',
  amount: '2500',
  currency: 'XOF',
  client_reference: ID,
  checkout_status: 'open',
  payment_status: 'processing',
  wave_launch_url: 'https://pay.wave.com/c/cos-1?a=2500&c=XOF',
  when_created: '2026-03-02T10:15:32Z',
  when_expires: '2026-03-02T10:45:32Z',
  last_payment_error: null,
  restrict_payer_mobile: '+2250758412077',
}
const payout = { id: 'pt-1', client_reference: ID, receive_amount: '2500', currency: 'XOF', status: 'processing' }

test('each pair of states of a session means what the table says', () => {
  for (const [checkout_status, payment_status, kind] of [
    ['open', 'processing', 'pending'],
    ['open', 'cancelled', 'pending'],
    ['complete', 'processing', 'pending'],
    ['complete', 'succeeded', 'settled'],
    ['expired', 'processing', 'pending'],
    ['expired', 'cancelled', 'refused'],
    ['complete', 'cancelled', 'unknown'],
    ['open', 'succeeded', 'unknown'],
    ['expired', 'succeeded', 'unknown'],
    ['constructor', 'x', 'unknown'],
  ]) {
    const outcome = translateSession(answered({ ...session, checkout_status, payment_status }), order, false)
    assert.equal(outcome.kind, kind, `${checkout_status} ${payment_status}`)
    assert.equal('unlisted' in outcome, kind === 'unknown')
    assert.doesNotMatch(JSON.stringify(outcome), /0758412077/)
  }
})

test('a session that was not tried has lapsed ten minutes after its end, by Wave’s clock', () => {
  const expired = { ...session, checkout_status: 'expired' }
  const kindAt = (date?: string) =>
    translateSession(answered(expired, 200, date === undefined ? {} : { date }), order, false)
  assert.equal(kindAt('Mon, 02 Mar 2026 10:55:31 GMT').kind, 'pending')
  const lapsed = kindAt('Mon, 02 Mar 2026 10:55:32 GMT')
  assert.equal(lapsed.kind === 'refused' && lapsed.failure_code, 'payer_timeout')
  assert.equal(kindAt().kind, 'pending', 'an answer without a time ends nothing')
})

test('people are alerted when a payment failed because our own wallet is full', () => {
  const failed = (code: string) =>
    translateSession(
      answered({ ...session, checkout_status: 'expired', payment_status: 'cancelled', last_payment_error: { code } }),
      order,
      false,
    )
  assert.partialDeepStrictEqual(failed('kyb-limits-exceeded'), { kind: 'refused', unlisted: 'kyb-limits-exceeded' })
  assert.equal('unlisted' in failed('insufficient-funds'), false)
})

test('an answer about another reference, amount in parts or a link that is no page proves nothing', () => {
  const paid = { ...session, checkout_status: 'complete', payment_status: 'succeeded' }
  for (const wrong of [{ client_reference: 'x' }, { client_reference: null }, { amount: '2500.5' }, { id: 7 }]) {
    assert.equal(translateSession(answered({ ...paid, ...wrong }), order, false).kind, 'unknown', JSON.stringify(wrong))
  }
  const marked = translateSession(answered({ ...session, wave_launch_url: 'https://pay.wave.com/"><b>' }), order, false)
  assert.equal('next_action' in marked && marked.next_action?.url, 'https://pay.wave.com/%22%3E%3Cb%3E')
  for (const wave_launch_url of ['http://pay.wave.com/', 'javascript:alert(1)', 7]) {
    assert.equal('next_action' in translateSession(answered({ ...session, wave_launch_url }), order, false), false)
  }
})

test('of several payouts under our reference the completed one counts, then the newest open one; without any the answer is "not found"', () => {
  const older = { ...session, id: 'cos-0', when_created: '2026-03-02T10:00:00Z' }
  const stateOf = (result: object[]) => {
    const outcome = translateSession(answered({ result }), order, false)
    return 'operator_state' in outcome ? [outcome.kind, outcome.operator_state!.session_id] : [outcome.kind]
  }
  assert.deepEqual(stateOf([older, session]), ['pending', 'cos-1'])
  const paid = { ...older, checkout_status: 'complete', payment_status: 'succeeded' }
  assert.deepEqual(stateOf([session, paid]), ['settled', 'cos-0'])
  assert.deepEqual(stateOf([]), ['not_found'])
  for (const result of ['none', [null], ['pt-1'], [[]]]) {
    assert.equal(translatePayout(answered({ result }), order).kind, 'unknown', JSON.stringify(result))
  }
  const failed = { ...payout, id: 'pt-2', status: 'failed', timestamp: '2026-03-02T11:00:00Z' }
  for (const [status, kind] of [
    ['processing', 'pending'],
    ['reversed', 'unknown'],
    ['succeeded', 'settled'],
    ['failed', 'refused'],
  ] as const) {
    const earlier = { ...payout, status, timestamp: '2026-03-02T10:00:00Z' }
    assert.equal(translatePayout(answered({ result: [failed, earlier] }), order).kind, kind, status)
  }
  const lapsed = {
    ...session,
    id: 'cos-2',
    checkout_status: 'expired',
    payment_status: 'cancelled',
    when_created: '2026-03-02T11:00:00Z',
  }
  assert.deepEqual(stateOf([lapsed, session]), ['pending', 'cos-1'])
  // A session that has just ended may still be paid, whatever a newer one says.
  const lapsing = { ...session, checkout_status: 'expired', payment_status: 'processing' }
  assert.deepEqual(stateOf([lapsed, lapsing]), ['pending', 'cos-1'])
})

test('only an empty list is not found: a 404 may come from a wrong address, or with the key of another', () => {
  for (const [reply, kind] of [
    [answered({ result: [] }), 'not_found'],
    [answered({ code: 'not-found', message: '' }, 404), 'unknown'],
    [answered({}, 404), 'unknown'],
  ] as const) {
    assert.equal(translatePayout(reply, order).kind, kind, JSON.stringify(reply))
    assert.equal(translateSession(reply, order, false).kind, kind, JSON.stringify(reply))
  }
})

test('each state of a payout means what the table says', () => {
  for (const [status, kind] of [
    ['processing', 'accepted'],
    ['succeeded', 'settled'],
    ['failed', 'refused'],
    ['reversed', 'unknown'],
    ['toString', 'unknown'],
    [['failed'], 'unknown'],
  ] as const) {
    const outcome = translateNewPayout(answered({ ...payout, status }), order)
    assert.equal(outcome.kind, kind, String(status))
  }
  const failed = { ...payout, status: 'failed', payout_error: { error_code: 'recipient-limit-exceeded' } }
  assert.partialDeepStrictEqual(translatePayout(answered(failed), order), {
    failure_code: 'recipient_limit_reached',
  })
  assert.equal(translateNewPayout(answered({ ...payout, id: undefined }), order).kind, 'unknown', 'it is searched for')
})

test('a fee is booked as a charge up to the amount itself, and no further', () => {
  for (const [fee, charge] of [
    ['100', 100],
    [payout.receive_amount, Number(payout.receive_amount)],
    [`${payout.receive_amount}0`, undefined],
    ['999999999999999', undefined],
    ['-1', undefined],
    [['100'], undefined],
  ] as const) {
    const outcome = translatePayout(answered({ ...payout, status: 'succeeded', fee }), order)
    assert.equal(outcome.kind === 'settled' ? outcome.charge : outcome.kind, charge, String(fee))
  }
})

test('each code refuses in each of the three shapes, and nothing else of an answer does', () => {
  for (const [code, failure_code] of refusals) {
    for (const body of [
      { code, message: 'x' },
      { error_code: code },
      { error: { code, message: 'x', httpcode: 422 } },
    ]) {
      const outcome = translateNewPayout(answered(body, 422), order)
      assert.equal(outcome.kind === 'refused' && outcome.failure_code, failure_code, code)
    }
  }
  for (const status of [200, 302, 408, 429, 500, 502, 503]) {
    const outcome = translateNewPayout(answered({ code: 'insufficient-funds', message: 'x' }, status), order)
    assert.equal(outcome.kind, 'unknown', String(status))
  }
  assert.deepEqual(errorIn(answered([])), { code: undefined, message: undefined })
})

test('an unknown code refuses by its HTTP status alone, and people are alerted to it', () => {
  for (const [status, failure_code] of [
    [400, 'operator_refused'],
    [401, 'operator_configuration'],
    [403, 'operator_configuration'],
    [404, 'operator_refused'],
    [422, 'operator_refused'],
    [409, null],
    [418, null],
  ] as const) {
    const outcome = translateNewSession(answered({ code: 'of-next-year', message: 'x' }, status), order, false)
    assert.equal(outcome.kind === 'refused' ? outcome.failure_code : null, failure_code, String(status))
    assert.equal('unlisted' in outcome && outcome.unlisted, 'of-next-year')
  }
})

test('only an empty answer accepts a refund', () => {
  const empty: OperatorReply = { kind: 'answered', status: 200, headers: {}, body: '' }
  assert.equal(translateNewRefund(empty).kind, 'accepted')
  assert.equal(translateNewRefund({ ...empty, body: '<html>' }).kind, 'unknown')
  assert.equal(translateNewRefund({ ...empty, status: 500 }).kind, 'unknown')
  assert.equal(translateNewRefund({ kind: 'not_sent', reason: 'x' }).kind, 'not_sent')
  const failed = translateNewRefund(answered({ error_code: 'checkout-refund-failed' }, 409))
  assert.equal(failed.kind === 'refused' && failed.failure_code, 'operator_refused')
})

test('only the refund of its session counts among the transactions, whatever the sign of its amount', () => {
  const line = { transaction_type: 'api_checkout_refund', checkout_api_session_id: 'cos-1', currency: 'XOF' }
  for (const amount of ['2500', '-2500']) {
    assert.partialDeepStrictEqual(refundAmong([{ ...line, amount }], 'cos-1', answered({})), {
      kind: 'settled',
      amount: 2_500,
    })
  }
  assert.equal(refundAmong([{ ...line, amount: '25.5' }], 'cos-1', answered({}))?.kind, 'unknown')
  assert.equal(
    refundAmong([{ ...line, transaction_type: 'api_checkout', amount: '2500' }], 'cos-1', answered({})),
    null,
  )
  assert.equal(refundAmong([{ ...line, amount: '2500' }], 'cos-2', answered({})), null)
})
