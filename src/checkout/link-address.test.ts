import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideTerms, queryOfAddress, readAddress, readReference } from './link-address.ts'
import { readWhatsApp } from './whatsapp-number.ts'

const read = (query: string) => readAddress(new URLSearchParams(query))

const addresses: readonly (readonly [string, ReturnType<typeof readAddress>])[] = [
  ['', { amount: null, reference: null }],
  ['amount=12500&ref=CMD-417', { amount: 12_500, reference: 'CMD-417' }],
  ['fbclid=IwAR0&utm_source=wa&lang=fr&amount=1', { amount: 1, reference: null }],
  ['ref=Robe+n.%C2%A04', 'invalid_request'],
  ['ref=a+%20+b', { amount: null, reference: 'a b' }],
  // A decomposed letter is the same reference.
  ['ref=caf%65%CC%81', { amount: null, reference: 'café' }],
  ['amount=', 'invalid_amount'],
  ['amount=0', 'invalid_amount'],
  ['amount=012', 'invalid_amount'],
  ['amount=-5', 'invalid_amount'],
  ['amount=12.5', 'invalid_amount'],
  ['amount=12+500', 'invalid_amount'],
  ['amount=1e3', 'invalid_amount'],
  ['amount=%EF%BC%91', 'invalid_amount'],
  ['amount=1000000000001', 'invalid_amount'],
  ['amount=5&amount=5', 'invalid_amount'],
  ['ref=', 'invalid_request'],
  ['ref=+', 'invalid_request'],
  ['ref=a&ref=a', 'invalid_request'],
  [`ref=${'x'.repeat(41)}`, 'invalid_request'],
  ['ref=a%0Ab', 'invalid_request'],
  ['ref=%00', 'invalid_request'],
  ['ref=%E2%80%AE714', 'invalid_request'],
  ['ref=%D8%A7%D8%A8', 'invalid_request'],
  ['ref=%ED%A0%80', 'invalid_request'],
  ['ref=%3Cb%3E', 'invalid_request'],
]
for (const [query, result] of addresses) {
  test(`the address ?${query.slice(0, 60)} is read as ${JSON.stringify(result)}`, () => {
    assert.deepEqual(read(query), result)
  })
}

test('a reference of 40 characters is kept, and what the address says can be written again', () => {
  assert.equal(readReference('x'.repeat(40)), 'x'.repeat(40))
  const asked = { amount: 500, reference: 'CMD 4#1/2' }
  assert.deepEqual(read(queryOfAddress(asked)), asked)
  assert.equal(queryOfAddress({ amount: null, reference: null }), '')
})

const free = { amount: null, min_amount: 200, max_amount: 5_000, reference: null }
const fixed = { amount: 500, min_amount: null, max_amount: null, reference: null }
const ask = (amount: number | null, reference: string | null = null) => ({ amount, reference })

test('a free link takes an amount within its bounds, and says that the address chose it', () => {
  for (const amount of [200, 5_000]) {
    const asked = { kind: 'fixed', amount }
    assert.deepEqual(decideTerms(free, ask(amount)), {
      ...{ asked, amount_in_address: true, reference: null, reference_in_address: false },
    })
  }
  assert.equal(decideTerms(free, ask(199)), 'amount_too_small')
  assert.equal(decideTerms(free, ask(5_001)), 'amount_too_large')
  const asked = { kind: 'free', min_amount: 200, max_amount: 5_000 }
  assert.deepEqual(decideTerms(free, ask(null, 'A1')), {
    ...{ asked, amount_in_address: false, reference: 'A1', reference_in_address: true },
  })
})

test('a fixed link takes its own amount only, which stays the merchant’s', () => {
  const asked = { kind: 'fixed', amount: 500 }
  assert.deepEqual(decideTerms(fixed, ask(500)), {
    ...{ asked, amount_in_address: false, reference: null, reference_in_address: false },
  })
  for (const amount of [499, 501]) assert.equal(decideTerms(fixed, ask(amount)), 'invalid_amount')
})

test('the reference of a link stands: an address may repeat it and not change it', () => {
  const named = { ...free, reference: 'CMD-1' }
  const reference = (address: ReturnType<typeof ask>) => {
    const terms = decideTerms(named, address)
    return typeof terms === 'string' ? terms : terms.reference
  }
  assert.deepEqual(
    [reference(ask(null)), reference(ask(300, 'CMD-1')), reference(ask(300, 'CMD-2'))],
    ['CMD-1', 'CMD-1', 'invalid_request'],
  )
})

test('a reference that an address alone gives is an order’s: no sentence, address of a page or telephone number', () => {
  const isTaken = (reference: string) => typeof decideTerms(free, ask(300, reference)) !== 'string'
  for (const order of ['CMD-417', 'café#4', '2026-0417_b.2', '1234567']) assert.ok(isTaken(order), order)
  for (const other of ['Payez le 0700000001', 'a b', 'evil.ci/p', '0700000001', 'CMD-12345678']) {
    assert.equal(isTaken(other), false, other)
    const named = decideTerms({ ...free, reference: other }, ask(300, other))
    assert.ok(typeof named !== 'string' && !named.reference_in_address, 'the link says it')
  }
})

test('a WhatsApp number is written as wa.me wants it, and anything else is refused', () => {
  assert.equal(readWhatsApp('07 00 00 00 01'), '2250700000001')
  assert.equal(readWhatsApp('+225 0700000001'), '2250700000001')
  assert.equal(readWhatsApp('+33 6 12 34 56 78'), '33612345678')
  for (const wrong of ['', '0612345678', '+2250100', '225', '+0712345678', 'wa.me/1', '+1234567890123456']) {
    assert.equal(readWhatsApp(wrong), null, wrong)
  }
})
