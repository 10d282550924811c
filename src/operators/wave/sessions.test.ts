import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, open, order, paid, session } from '../../../tests/harness/wave-answers.ts'

test('a session lapses only when no other session under our reference was paid or is open', async () => {
  const lapsed = { ...session, id: 'cos-2', checkout_status: 'expired', payment_status: 'cancelled' }
  const ends: [earlier: object[] | null, kind: string][] = [
    [[paid], 'settled'],
    [[session], 'pending'],
    [[], 'refused'],
    [[{ ...lapsed, id: 'cos-1' }], 'refused'],
    [null, 'unknown'],
  ]
  for (const [earlier, kind] of ends) {
    await using contract = await open(({ path }) => {
      if (!path.includes('search')) return json(lapsed)
      return earlier === null ? json({}, 503) : json({ result: earlier.length === 0 ? [] : [lapsed, ...earlier] })
    })
    const outcome = await contract.connector.read({ ...order, operator_state: { session_id: 'cos-2' } })
    assert.equal(outcome.kind, kind)
  }
  await using contract = await open(() => json(session))
  await contract.connector.read({ ...order, operator_state: { session_id: 'cos-1' } })
  assert.equal(contract.server.requests.length, 1, 'an open session takes one call')
})

test('an order that was sent once is asked about by its session alone', async () => {
  await using contract = await open(() => json(session))
  const kept = { ...order, operator_state: { session_id: 'cos-2' } }
  assert.equal((await contract.connector.read(kept)).kind, 'pending')
  assert.deepEqual(
    contract.server.requests.map(({ path }) => path),
    ['/wave/v1/checkout/sessions/cos-2'],
  )
})

// The search hid the first session, so the order was sent again, and we know only the second one.
const lapsed = { ...session, checkout_status: 'expired', payment_status: 'cancelled' }
const second = { id: 'cos-2' }
const severals: [name: string, known: object, all: object[] | null, kind: string][] = [
  ['the first was paid, the second is open', session, [paid, session], 'settled'],
  ['the first was paid, the second lapsed', lapsed, [paid, lapsed], 'settled'],
  ['the first was paid, and the search is the first to say so', session, [paid], 'settled'],
  ['the second was paid', paid, null, 'settled'],
  ['both are open', session, [session, session], 'pending'],
  ['the search still hides both', session, [], 'pending'],
  ['the search fails', session, null, 'pending'],
  ['both lapsed', lapsed, [lapsed, lapsed], 'refused'],
  ['the second lapsed, the first is open', lapsed, [session, lapsed], 'pending'],
  ['the second lapsed, and the search fails', lapsed, null, 'pending'],
  ['the second lapsed, and the search hides both', lapsed, [], 'pending'],
]
for (const [name, known, all, kind] of severals) {
  test(`of several sessions of one order, ${name}: ${kind}`, async () => {
    await using contract = await open(({ path }) => {
      if (!path.includes('/search?')) return json({ ...known, ...second })
      if (all === null) return json({ code: 'internal-server-error' }, 500)
      return json({ result: all.map((one, nth) => ({ ...one, id: `cos-${nth + 1}` })) })
    })
    const again = { ...order, operator_state: { session_id: 'cos-2' }, sent_again: 1 }
    const outcome = await contract.connector.read(again)
    assert.equal(outcome.kind, kind)
    if (kind === 'settled' && known !== paid) {
      assert.deepEqual(
        'operator_state' in outcome && outcome.operator_state,
        { session_id: 'cos-1' },
        'it is the one to refund',
      )
    }
  })
}
