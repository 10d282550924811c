import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attemptFacts, receiptOf, sessionFacts } from '../../../tests/harness/page-situations.ts'
import type { AttemptFacts, SessionFacts } from './facts.ts'
import { type Situation, situationOfSession, stateWord } from './page-for-state.ts'

const step = (
  type: 'approve_on_phone' | 'redirect' | 'enter_code',
  more: { dial_code?: string; prompted?: true } = {},
) => ({
  next_action: { type, message: '', ...more },
})
const tried = (attempt: Partial<AttemptFacts>): Partial<SessionFacts> => ({ attempt: attemptFacts(attempt) })
const over = { ended_at: '2026-11-20T13:17:12.000Z' }

const cases: [what: string, facts: Partial<SessionFacts>, situation: Situation][] = [
  ['nothing tried', {}, 'ask'],
  ['written down', tried({ status: 'created' }), 'starting'],
  ['with the operator, which has said nothing', tried({}), 'starting'],
  ['a prompt on the telephone', tried(step('approve_on_phone')), 'approve_on_phone'],
  ['a code to dial', tried(step('approve_on_phone', { dial_code: '*144*82#' })), 'dial'],
  ['a prompt and a code', tried(step('approve_on_phone', { dial_code: '*1#', prompted: true })), 'approve_on_phone'],
  ['a code to type', tried(step('enter_code', { dial_code: '#144*82#' })), 'enter_code'],
  ['a code typed', tried({ code_submitted: true }), 'checking'],
  ['away to the operator', tried(step('redirect')), 'redirect'],
  ['not known', tried({ in_doubt: true }), 'unsure'],
  ['not known, though a step is still there', tried({ in_doubt: true, ...step('redirect') }), 'unsure'],
  ['not known whether it was sent', tried({ status: 'created', in_doubt: true }), 'unsure'],
  ['failed', tried({ status: 'failed', failure_code: 'payer_declined', ...over }), 'failed'],
  ['failed, and its operator has reported money since', tried({ status: 'failed', in_doubt: true, ...over }), 'unsure'],
  [
    'the same, out of time',
    { status: 'expired', ...tried({ status: 'failed', number: 2, in_doubt: true, ...over }) },
    'unsure',
  ],
  ['the same, closed', { status: 'closed', ...tried({ status: 'expired', in_doubt: true, ...over }) }, 'unsure'],
  ['in the hands of somebody else', { status: 'busy', payable: false }, 'busy'],
  [
    'failed, and now in the hands of somebody else',
    { status: 'busy', ...tried({ status: 'failed', ...over }) },
    'busy',
  ],
  ['lapsed', tried({ status: 'expired', ...over }), 'failed'],
  ['paid', { status: 'paid', receipt: receiptOf(), ...tried({ status: 'succeeded', ...over }) }, 'receipt'],
  [
    'refunded',
    { status: 'paid', receipt: receiptOf({ status: 'refunded' }), ...tried({ status: 'refunded' }) },
    'receipt',
  ],
  ['succeeded a moment ago', tried({ status: 'succeeded', ...over }), 'starting'],
  ['out of time', { status: 'expired', payable: false }, 'expired'],
  ['out of time after a failure', { status: 'expired', ...tried({ status: 'failed', ...over }) }, 'expired'],
  ['closed', { status: 'closed' }, 'closed'],
]

describe('the page of a session', () => {
  for (const [what, facts, situation] of cases) {
    test(`${what}: ${situation}`, () => assert.equal(situationOfSession(sessionFacts(facts)), situation))
  }
})

test('two sessions with different pages have different state words, so that the script notices the change', () => {
  const words = new Map<string, Situation>()
  for (const [what, facts, situation] of cases) {
    const word = stateWord(sessionFacts(facts))
    // A code to dial belongs to the same step, and an operator never adds or removes it later.
    if (situation === 'dial') continue
    const seen = words.get(word)
    assert.ok(seen === undefined || seen === situation, `${what}: ${word}`)
    words.set(word, situation)
  }
})
