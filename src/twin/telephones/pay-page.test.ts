import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperations, type Order } from '../operations.ts'
import { createPhones } from '../phones.ts'
import { emptyState } from '../state.ts'
import { createTime } from '../time.ts'
import type { TwinRequest } from '../wire.ts'
import { createPayPage } from './pay-page.ts'

const state = emptyState()
const time = createTime(state, () => {})
const phones = createPhones(state, time)
const operations = createOperations(state, time, phones, () => {})
const page = createPayPage(operations, (msisdn) => ({
  phone: phones.of(msisdn),
  asking: operations.asking(msisdn),
  balance: (operator) => phones.balance(msisdn, operator),
  now: time.now(),
  wrong_pin: false,
  codes_of: null,
}))

const request = { fault: null, matched: false } as TwinRequest
const order: Order = {
  api: 'wave',
  kind: 'session',
  reference: 'cos-1',
  direction: 'collection',
  operator: 'wave_ci',
  amount: 7500,
  fee: 75,
  msisdn: null,
  payee: 'Chez <Aya>',
  wallet: 'wave',
  detail: { success_url: 'https://shop.example.ci/ok', failure_url: 'javascript:alert(1)' },
}
const KEY = 'wave/session/cos-1'

test('an unknown payer types a number, is asked on that telephone, pays, and is led back', async () => {
  await operations.submit(request, order)
  assert.match(page.draw(KEY, 'fr', null).text, /Chez &lt;Aya&gt; demande[\s\S]*Votre numéro/)
  const refused = page.begin(KEY, '12"<b>')
  assert.equal(refused?.because, 'bad_number')
  const again = page.draw(KEY, 'fr', refused)
  assert.equal(again.status, 422)
  assert.match(again.text, /value="12&quot;&lt;b&gt;"/)
  assert.equal(page.begin(KEY, '05 44 10 98 32'), null)
  const [asked] = operations.asking('+2250544109832')
  assert.match(page.draw(KEY, 'en', null).text, /Secret code/)
  assert.equal(operations.approve(asked!, phones.of('+2250544109832').pin), 'done')
  assert.match(page.draw(KEY, 'en', null).text, /content="3;url=https:\/\/shop\.example\.ci\/ok"/)
  const [{ wallet_after, fee } = { wallet_after: 0, fee: 0 }] = state.journal
  assert.deepEqual([wallet_after, fee], [10_000_000 + 7500 - 75, 75])
})

test('only the permitted number is asked, and an invalid address leads nowhere', async () => {
  const detail = { ...order.detail, only_payer: '+2250700000001' }
  await operations.submit(request, { ...order, reference: 'cos-2', detail })
  assert.equal(page.begin('wave/session/cos-2', '0544109832')?.because, 'another_payer')
  assert.equal(page.begin('wave/session/cos-2', '0700000001'), null)
  operations.decline(operations.asking('+2250700000001')[0]!)
  assert.doesNotMatch(page.draw('wave/session/cos-2', 'fr', null).text, /http-equiv="refresh" content="3|javascript:/)
  time.stop()
})
