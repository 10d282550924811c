import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../platform/clock.ts'
import { newId } from '../../values/ids.ts'
import type { SettlementRow } from '../settlement.ts'
import { type Known, type LineMatch, type Payable, settlementsOf } from './line-match.ts'
import { matchBankLines } from './match-lines.ts'
import { withoutOurAccount } from './own-account.ts'
import type { BankLine } from './read-lines.ts'

const clock = createClock()
const TODAY = '2026-11-24'
const IBAN = 'CI93CI0080111301134291200589'

function payable(more: Partial<SettlementRow> = {}, account: string | null = IBAN): Payable {
  const settlement = {
    id: newId('stl', clock.milliseconds()),
    amount: 50_000,
    status: 'validated',
    name: 'Épicerie Awa',
    ...{
      booking_date: null,
      merchant_id: 7,
      livemode: false,
      last4: '0589',
      validated_at: new Date('2026-11-20T15:00:00Z'),
    },
  }
  return { settlement: { ...settlement, bank_reference: null, ...more } as SettlementRow, account }
}

function line(more: Partial<BankLine> = {}): BankLine {
  const empty = { value_date: null, unread_date: null, label: '', account: '', holder: '', fault: null }
  return { line: 2, direction: 'out', amount: 50_000, date: '2026-11-20', reference: 'VIR-1', ...empty, ...more }
}

function knownOf(payable: readonly Payable[], more: Partial<Known> = {}): Known {
  return { payable, paid_with: [], paid_lately: [], paid_before: [], cut: false, ...more }
}

function match(one: BankLine, known: readonly Payable[], paid_with: readonly SettlementRow[] = []): LineMatch {
  return matchBankLines([one], knownOf(known, { paid_with }), TODAY)[0]!.match
}
/** The result of each line: its kind, or the reason why a person checks it. */
function kindsOf(lines: readonly BankLine[], known: Known): string[] {
  return matchBankLines(lines, known, TODAY).map(({ match: one }) => (one.kind === 'ambiguous' ? one.why : one.kind))
}
const kindOf = (...given: Parameters<typeof match>) => match(...given).kind

test('the beginning of our reference proposes its settlement, when it is the beginning of one and the amount is right', () => {
  const known = payable()
  const { id } = known.settlement
  const by = (label: string, more: Partial<BankLine> = {}, all: readonly Payable[] = [known]) => {
    const found = match(line({ label, ...more }), all)
    return found.kind === 'match' ? found.by : found.kind
  }
  assert.equal(by(`VIR PERM ${id.slice(0, 14)}`), 'beginning')
  assert.equal(by(`VIR PERM ${id.slice(0, 25).toUpperCase()}`), 'beginning')
  assert.equal(by(`VIR ${id.slice(0, 20)} ${id.slice(20)}`), 'beginning', 'parted')
  assert.equal(by(id), 'label')
  assert.equal(by(id.slice(0, 13)), 'none', 'too short')
  assert.equal(by(id.slice(0, 20), { amount: 50_001 }), 'differs')
  const twin = payable({ id: `${id.slice(0, 18)}${'0'.repeat(12)}` })
  assert.equal(by(id.slice(0, 16), {}, [known, twin]), 'ambiguous')
  assert.equal(by(id.slice(0, 20), {}, [known, twin]), 'beginning')
  const cut = matchBankLines([line({ label: id.slice(0, 20) })], knownOf([known], { cut: true }), TODAY)
  assert.equal(cut[0]!.match.kind, 'ambiguous')
  assert.equal(by(id.slice(0, 20), {}, [payable({ ...known.settlement, status: 'paid' })]), 'none')
})

test('our reference finds its settlement in every spelling of banks', () => {
  const known = payable()
  const { id } = known.settlement
  for (const label of [id, `VIR ${id.toUpperCase()} /INV`, `vir ${id.replace('_', ' ')}.`, id.replace('_', '')]) {
    const found = match(line({ label }), [payable(), known])
    assert.deepEqual([found.kind, settlementsOf(found)[0]?.id], ['match', id], label)
  }
  // A longer text that only begins like an id is none.
  assert.equal(kindOf(line({ label: `${id}0`, holder: 'x' }), [known]), 'none')
})

test('a line that names a settlement with another amount or account is never matched', () => {
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

test('without our reference the account decides, or without one the holder, and the amount must always be equal', () => {
  const known = payable()
  assert.equal(kindOf(line({ account: IBAN }), [known]), 'match')
  assert.equal(kindOf(line({ holder: 'EPICERIE AWA' }), [known]), 'match')
  assert.equal(kindOf(line({ account: 'CI00', holder: 'Epicerie Awa' }), [known]), 'none', 'the account decides')
  assert.equal(kindOf(line({ account: IBAN, amount: 1 }), [known]), 'differs')
  assert.equal(kindOf(line({ account: IBAN }), [known, payable()]), 'ambiguous')
  assert.equal(kindOf(line({}), [payable({ name: '' })]), 'none')
  assert.equal(kindOf(line({ account: '07 58 41 20 77' }), [payable({}, '+2250758412077')]), 'match')
})

test('a line of a paid settlement is recognised by our reference or the bank’s', () => {
  const paid = payable({ status: 'paid', bank_reference: 'VIR 1' }, null)
  assert.equal(kindOf(line({ label: paid.settlement.id, reference: 'other' }), [paid]), 'recorded')
  assert.equal(kindOf(line({ label: paid.settlement.id, reference: 'vir1', amount: 7 }), [paid]), 'differs')
  assert.equal(kindOf(line({ account: IBAN, reference: 'vir1' }), [payable()], [paid.settlement]), 'recorded')
  // The bank may use one reference for many transfers: another amount is another settlement.
  assert.equal(
    kindOf(line({ account: IBAN, reference: 'vir1', amount: 7 }), [payable({ amount: 7 })], [paid.settlement]),
    'match',
  )
})

test('if two lines fit one settlement, neither is matched', () => {
  const known = payable()
  const twice = [line({ label: known.settlement.id }), line({ line: 3, account: IBAN, reference: 'VIR-2' })]
  const kinds = kindsOf(twice, knownOf([known]))
  assert.deepEqual(kinds, ['two_lines', 'two_lines'])
  assert.equal(kindOf(line({ label: known.settlement.id, fault: 'formula' }), [known]), 'unread')
})

test('a returned transfer is matched with no settlement', () => {
  const known = payable()
  const { id } = known.settlement
  const out = line({ label: id })
  for (const [back, words] of [
    [line({ direction: 'in', label: `RETOUR ${id}`, reference: 'VIR-2' }), 'our id'],
    [
      line({ direction: 'in', label: `RETOUR ${id}`, reference: null, fault: 'reference' }),
      'our id, without a reference',
    ],
    [line({ direction: 'in', label: 'RETOUR' }), 'the reference and the sum'],
    [line({ direction: 'in', label: 'REJET VIR-1', reference: 'OP-77' }), 'the reference in its label'],
  ] as const) {
    assert.deepEqual(kindsOf([out, back], knownOf([known])), ['came_back', 'in'], words)
    const found = matchBankLines([out, back], knownOf([known]), TODAY)[1]!.match
    assert.deepEqual(
      settlementsOf(found).map((one) => one.id),
      [id],
      words,
    )
  }
  assert.deepEqual(kindsOf([out, line({ direction: null, fault: 'direction', label: id })], knownOf([known])), [
    'came_back',
    'unread',
  ])
  // Other money that came in prevents no match and pays nothing.
  const sale = line({ direction: 'in', label: 'Vente', account: IBAN, reference: 'OP-9' })
  assert.deepEqual(kindsOf([out, sale], knownOf([known])), ['match', 'in'])
  assert.deepEqual(kindsOf([line({ direction: 'in', label: id })], knownOf([known])), ['in'])
  const paid = payable({ status: 'paid', bank_reference: 'VIR-1' }, null).settlement
  const late = matchBankLines([line({ direction: 'in' })], knownOf([], { paid_with: [paid] }), TODAY)[0]!.match
  assert.deepEqual(
    settlementsOf(late).map((one) => one.id),
    [paid.id],
  )
})

test('a return less a charge belongs to its transfer, and one with a shared reference to the transfer of its amount', () => {
  const [one, other] = [payable(), payable({ amount: 30_000 })]
  const outs = [
    line({ label: one.settlement.id, reference: 'LOT-2026' }),
    line({ line: 3, label: other.settlement.id, reference: 'LOT-2026', amount: 30_000 }),
  ]
  const known = knownOf([one, other])
  const back = (more: Partial<BankLine>) => line({ line: 4, direction: 'in', reference: 'OP-77', ...more })
  assert.deepEqual(kindsOf([outs[0]!, back({ label: 'REJET LOT-2026', amount: 49_500 })], known), ['came_back', 'in'])
  assert.deepEqual(kindsOf([...outs, back({ reference: 'LOT-2026', amount: 30_000 })], known), [
    'match',
    'came_back',
    'in',
  ])
  const unclear = back({ reference: 'LOT-2026', amount: 29_500 })
  assert.deepEqual(kindsOf([...outs, unclear], known), ['came_back', 'came_back', 'in'])
})

test('money that came in leads to the settlement that was paid with its reference, in the line or in its label', () => {
  const paid = payable({ status: 'paid', bank_reference: 'VIR-2026-0042' }, null).settlement
  const found = (more: Partial<BankLine>, known: Partial<Known>) => {
    const back = line({ direction: 'in', reference: 'OP-77', ...more })
    return settlementsOf(matchBankLines([back], knownOf([], known), TODAY)[0]!.match).map(({ id }) => id)
  }
  for (const label of ['REJET VIR-2026-0042', 'retour vir 2026 0042.', 'VIR-2026-0042/INV', '(Vir-2026-0042)'])
    assert.deepEqual(found({ label }, { paid_lately: [paid] }), [paid.id], label)
  assert.deepEqual(found({ label: 'REJET VIR-2026-00421' }, { paid_lately: [paid] }), [], 'another reference')
  assert.deepEqual(found({ label: 'RETOUR 42' }, { paid_lately: [{ ...paid, bank_reference: '42' }] }), [], 'too short')
  const less = { reference: 'VIR-2026-0042', amount: 49_000 }
  assert.deepEqual(found(less, { paid_with: [paid] }), [paid.id], 'less a charge of the bank')
  const other = payable({ status: 'paid', bank_reference: 'VIR-2026-0042', amount: 49_000 }, null).settlement
  assert.deepEqual(found(less, { paid_with: [paid, other] }), [other.id], 'of a transfer of many the one of this sum')
})

test('without our id a transfer from before the validation, or without a date, pays nothing', () => {
  const known = knownOf([payable()])
  for (const more of [{ account: IBAN }, { holder: 'Épicerie Awa' }]) {
    assert.deepEqual(kindsOf([line(more)], known), ['match'])
    assert.deepEqual(kindsOf([line({ ...more, date: '2026-11-19' })], known), ['too_early'])
    assert.deepEqual(kindsOf([line({ ...more, date: null })], known), ['undated'])
  }
  const [{ settlement }] = known.payable as [Payable]
  assert.deepEqual(kindsOf([line({ label: settlement.id, date: null })], known), ['match'], 'our id needs no day')
})

test('a person checks a match with a date before the validation, in the future or unreadable', () => {
  const known = payable()
  const label = known.settlement.id
  for (const [more, days] of [
    [{}, null],
    [{ date: null }, null],
    [{ value_date: '2026-11-24' }, null],
    [{ date: '2026-11-19' }, 'before_validation'],
    [{ value_date: '2026-11-19' }, 'before_validation'],
    [{ value_date: '2026-11-25' }, 'in_future'],
    [{ date: null, unread_date: '31/02/2026' }, 'unread'],
  ] as const) {
    const found = match(line({ label, ...more }), [known])
    assert.deepEqual([found.kind, found.kind === 'match' && found.days], ['match', days], JSON.stringify(more))
  }
  const late = match(line({ account: IBAN, value_date: '2026-11-25' }), [known])
  assert.ok(late.kind === 'match' && late.days === 'in_future', 'found by the account as well')
})

test('without our id a transfer may be that of a settlement that was paid with another reference', () => {
  const known = payable()
  const before = (more: Partial<SettlementRow> = {}) =>
    payable({ status: 'paid', bank_reference: 'CHQ-7', ...more }, null).settlement
  const kinds = (paid: SettlementRow, lines = [line({ account: IBAN })]) =>
    kindsOf(lines, knownOf([known], { paid_before: [paid] }))
  assert.deepEqual(kinds(before()), ['paid_before'])
  assert.deepEqual(kinds(before({ last4: '1111' })), ['paid_before'], 'the same holder')
  assert.deepEqual(kinds(before({ name: 'Autre' })), ['paid_before'], 'the same end of the account')
  assert.deepEqual(kinds(before({ name: 'Autre', last4: '1111' })), ['match'])
  assert.deepEqual(kinds(before({ merchant_id: 8 })), ['match'])
  assert.deepEqual(kinds(before(), [line({ account: IBAN }), line({ line: 3, reference: 'chq-7', label: 'x' })]), [
    'match',
    'none',
  ])
})

test('if not all settlements were read, only our id matches', () => {
  const known = payable()
  assert.deepEqual(kindsOf([line({ account: IBAN })], knownOf([known], { cut: true })), ['cut'])
  assert.deepEqual(kindsOf([line({ label: known.settlement.id })], knownOf([known], { cut: true })), ['match'])
})

test('an account that is the same on all lines is ours, unless it is a settlement’s destination', () => {
  const [one, other] = [payable(), payable({ id: newId('stl', clock.milliseconds()) }, 'CI02')]
  const known = knownOf([one, other])
  const lines = (account: string) => [
    line({ label: one.settlement.id, account }),
    line({ line: 3, label: other.settlement.id, account, reference: 'VIR-2' }),
  ]
  const bare = withoutOurAccount(lines('CI99 0001'), known)
  assert.deepEqual(kindsOf(bare!, known), ['match', 'match'])
  assert.equal(withoutOurAccount(lines(IBAN), known), null)
  assert.equal(withoutOurAccount(lines('CI99 0001').slice(0, 1), known), null, 'one line says nothing')
  assert.equal(withoutOurAccount([lines('CI99')[0]!, lines('CI98')[1]!], known), null)
})

test('the longest file is compared with the most settlements in less than three seconds', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => payable({ amount: at + 1, name: `Boutique ${at}` }, `CI${at}`))
  const lines = Array.from({ length: 2_000 }, (_, at) =>
    line({ line: at, amount: at + 1, reference: `VIR-${at}`, holder: `Boutique ${at % 1_000}` }),
  )
  const half = lines.map((one, at) => (at % 2 === 0 ? one : line({ ...one, direction: 'in', label: `Vente ${at}` })))
  const began = clock.milliseconds()
  assert.equal(kindsOf(half, knownOf(many)).filter((kind) => kind === 'match').length, 500)
  assert.equal(kindsOf(lines, knownOf(many)).filter((kind) => kind === 'match').length, 1_000)
  assert.ok(clock.milliseconds() - began < 3_000)
})
