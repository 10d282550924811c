import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Msisdn } from '../../values/msisdn.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { Secret } from '../../values/secret.ts'
import type { Capabilities } from '../port.ts'
import type { Conclusion } from '../sending/decide.ts'
import { createNumberHash } from './number-hash.ts'
import { isSameKnown, type Known, learn, lessonOf, predictOperator } from './prediction.ts'

const msisdn = Msisdn.parse('0700000010')!
const served = (operator: OperatorCode) => ({ msisdn, operator, served: true })
const refused = (operator: OperatorCode) => ({ msisdn, operator, served: false })
const byPrefix = { operator: 'orange_ci', confidence: 'medium', basis: 'prefix' } as const
const learned = (operator: OperatorCode) => ({ operator, confidence: 'high', basis: 'learned' }) as const
const nobody = { operator: null, confidence: 'none', basis: 'learned' } as const

test('the last success is predicted, a refusal undoes it, and facts that agree with the prefix are not stored', () => {
  const table: [lessons: ReturnType<typeof served>[], expected: object, kept: boolean][] = [
    [[], byPrefix, false],
    [[served('orange_ci')], byPrefix, false],
    [[served('mtn_ci')], learned('mtn_ci'), true],
    [[served('mtn_ci'), served('wave_ci')], learned('wave_ci'), true],
    [[served('mtn_ci'), served('orange_ci')], byPrefix, false],
    [[refused('orange_ci')], nobody, true],
    [[refused('orange_ci'), served('orange_ci')], byPrefix, false],
    [[refused('mtn_ci')], byPrefix, true],
    [[served('mtn_ci'), refused('orange_ci')], learned('mtn_ci'), true],
    [[served('mtn_ci'), refused('mtn_ci')], byPrefix, true],
    [[served('mtn_ci'), refused('mtn_ci'), refused('orange_ci')], nobody, true],
    [[refused('orange_ci'), served('mtn_ci'), refused('mtn_ci')], byPrefix, true],
  ]
  for (const [lessons, expected, kept] of table) {
    const known = lessons.reduce<Known | null>(learn, null)
    assert.deepEqual(predictOperator(msisdn, known), expected, JSON.stringify(lessons))
    assert.equal(known !== null, kept, JSON.stringify(lessons))
  }
})

test('a repeated lesson changes nothing, and the order of refusals does not matter', () => {
  const twice = learn(learn(null, served('mtn_ci')), served('mtn_ci'))
  assert.ok(isSameKnown(twice, learn(null, served('mtn_ci'))))
  const one = learn(learn(null, refused('orange_ci')), refused('mtn_ci'))
  assert.ok(isSameKnown(one, learn(learn(learn(null, refused('mtn_ci')), refused('orange_ci')), refused('mtn_ci'))))
  assert.ok(!isSameKnown(one, null))
})

test('an operator that is not offered is not proposed', () => {
  const without =
    (...closed: OperatorCode[]) =>
    (operator: OperatorCode) =>
      !closed.includes(operator)
  const known = learn(null, served('wave_ci'))
  assert.deepEqual(predictOperator(msisdn, known, without('wave_ci')), byPrefix)
  assert.deepEqual(predictOperator(msisdn, known, without('wave_ci', 'orange_ci')), { ...nobody, basis: 'prefix' })
})

const byNumber: Capabilities = { collect: true, collect_without_number: false, payout: true, refund: 'none' }
const byLink: Capabilities = { ...byNumber, collect_without_number: true }
const byBoundLink: Capabilities = { ...byLink, collects_from_number: true }
const succeeded: Conclusion = { kind: 'succeeded' }
const failed = (failure_code: Extract<Conclusion, { kind: 'failed' }>['failure_code']): Conclusion => {
  return { kind: 'failed', failure_code }
}

test('only money that moved, or an operator that does not know the number, teaches something', () => {
  const collection = { direction: 'collect', operator: 'mtn_ci', msisdn } as const
  const payout = { ...collection, direction: 'payout' } as const
  const table: [order: Parameters<typeof lessonOf>[0], Conclusion, Capabilities | null, expected: boolean | null][] = [
    [collection, succeeded, byNumber, true],
    [collection, succeeded, byLink, null],
    [collection, succeeded, byBoundLink, true],
    [payout, succeeded, byLink, true],
    [{ ...payout, direction: 'refund' }, succeeded, byNumber, null],
    [collection, failed('payer_not_found'), byLink, false],
    [payout, failed('recipient_not_found'), byNumber, false],
    [collection, failed('payer_declined'), byNumber, null],
    [collection, failed('payer_timeout'), byNumber, null],
    [collection, failed('operator_refused'), byNumber, null],
    [payout, failed('recipient_account_blocked'), byNumber, null],
    [payout, { kind: 'silent' }, byNumber, null],
    [collection, succeeded, null, null],
    [{ ...collection, msisdn: null }, succeeded, byNumber, null],
    [{ ...collection, operator: null }, succeeded, byNumber, null],
    [{ ...collection, operator: 'another' }, succeeded, byNumber, null],
  ]
  for (const [order, conclusion, capabilities, expected] of table) {
    const lesson = lessonOf(order, conclusion, capabilities)
    assert.equal(lesson?.served ?? null, expected, JSON.stringify([order, conclusion, capabilities]))
  }
})

test('the hash of a number depends on the key and the mode, and in test mode on the merchant', () => {
  const hashOf = createNumberHash(new Secret('one secret key of the service, long enough'))
  const other = createNumberHash(new Secret('another secret key of a service, long enough'))
  const tenants = [1, 2].flatMap((merchant_id) => [true, false].map((livemode) => ({ merchant_id, livemode })))
  const [first, firstTest, second, secondTest] = tenants.map((tenant) => hashOf(tenant, msisdn))
  assert.match(first!, /^[0-9a-f]{64}$/)
  assert.equal(first, second)
  assert.equal(new Set([first, firstTest, secondTest, other(tenants[0]!, msisdn)]).size, 4)
  assert.equal(hashOf(tenants[0]!, Msisdn.parse('+225 07 00 00 00 10')!), first)
})
