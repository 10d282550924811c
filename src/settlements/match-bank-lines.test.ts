import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../platform/clock.ts'
import { newId } from '../values/ids.ts'
import { type LineMatch, matchBankLines, type Payable, settlementsOf } from './match-bank-lines.ts'
import type { BankLine } from './read-bank-lines.ts'
import type { SettlementRow } from './settlement.ts'

const clock = createClock()
const IBAN = 'CI93CI0080111301134291200589'

function payable(more: Partial<SettlementRow> = {}, account: string | null = IBAN): Payable {
  const settlement = {
    id: newId('stl', clock.milliseconds()),
    amount: 50_000,
    status: 'validated',
    name: 'Épicerie Awa',
  }
  return { settlement: { ...settlement, bank_reference: null, ...more } as SettlementRow, account }
}

function line(more: Partial<BankLine> = {}): BankLine {
  const empty = { label: '', account: '', holder: '', fault: null }
  return { line: 2, amount: 50_000, reference: 'VIR-1', ...empty, ...more }
}

function match(one: BankLine, known: readonly Payable[], paid_with: readonly SettlementRow[] = []): LineMatch {
  return matchBankLines([one], { payable: known, paid_with })[0]!.match
}
const kindOf = (...given: Parameters<typeof match>) => match(...given).kind

test('our reference finds its settlement, however the bank writes it', () => {
  const known = payable()
  const { id } = known.settlement
  for (const label of [id, `VIR ${id.toUpperCase()} /INV`, `vir ${id.replace('_', ' ')}.`, id.replace('_', '')]) {
    const found = match(line({ label }), [payable(), known])
    assert.deepEqual([found.kind, settlementsOf(found)[0]?.id], ['match', id], label)
  }
  // A text that only begins like one is another word.
  assert.equal(kindOf(line({ label: `${id}0`, holder: 'x' }), [known]), 'none')
})

test('a line that names a settlement and does not fit it is never matched', () => {
  const known = payable()
  const label = known.settlement.id
  assert.deepEqual(match(line({ label, amount: 49_999 }), [known]), {
    kind: 'differs',
    what: 'amount',
    settlement: known.settlement,
  })
  const other = match(line({ label, account: 'CI00 0000' }), [known])
  assert.ok(other.kind === 'differs' && other.what === 'account')
  assert.equal(kindOf(line({ label, account: 'ci93 ci00 8011 1301 1342 9120 0589' }), [known]), 'match')
  assert.equal(kindOf(line({ label: `${label} ${payable().settlement.id}` }), [known]), 'match')
  const second = payable()
  assert.equal(kindOf(line({ label: `${label} ${second.settlement.id}` }), [known, second]), 'ambiguous')
  assert.equal(kindOf(line({ label: second.settlement.id, account: IBAN }), [known]), 'none')
  for (const status of ['pending_validation', 'rejected'] as const) {
    const waiting = payable({ status }, null)
    assert.equal(kindOf(line({ label: waiting.settlement.id }), [waiting]), 'not_to_be_paid')
  }
})

test('without our reference the account decides, or else the holder, and the amount always', () => {
  const known = payable()
  assert.equal(kindOf(line({ account: IBAN }), [known]), 'match')
  assert.equal(kindOf(line({ holder: 'EPICERIE AWA' }), [known]), 'match')
  assert.equal(kindOf(line({ account: 'CI00', holder: 'Epicerie Awa' }), [known]), 'none', 'the account decides')
  assert.equal(kindOf(line({ account: IBAN, amount: 1 }), [known]), 'differs')
  assert.equal(kindOf(line({ account: IBAN }), [known, payable()]), 'ambiguous')
  assert.equal(kindOf(line({}), [payable({ name: '' })]), 'none')
  assert.equal(kindOf(line({ account: '07 58 41 20 77' }), [payable({}, '+2250758412077')]), 'match')
})

test('a settlement that is paid is told, by our reference or by the bank’s', () => {
  const paid = payable({ status: 'paid', bank_reference: 'VIR 1' }, null)
  assert.equal(kindOf(line({ label: paid.settlement.id, reference: 'other' }), [paid]), 'recorded')
  assert.equal(kindOf(line({ account: IBAN, reference: 'vir1' }), [payable()], [paid.settlement]), 'recorded')
  // Another sum under the reference of a transfer of many: another settlement.
  assert.equal(
    kindOf(line({ account: IBAN, reference: 'vir1', amount: 7 }), [payable({ amount: 7 })], [paid.settlement]),
    'match',
  )
})

test('two lines of one settlement are matched with neither', () => {
  const known = payable()
  const twice = [line({ label: known.settlement.id }), line({ line: 3, account: IBAN, reference: 'VIR-2' })]
  const kinds = matchBankLines(twice, { payable: [known], paid_with: [] }).map(({ match: { kind } }) => kind)
  assert.deepEqual(kinds, ['ambiguous', 'ambiguous'])
  assert.equal(kindOf(line({ label: known.settlement.id, fault: 'formula' }), [known]), 'unread')
})
