import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { checkRefusal } from './answers.ts'

let installation: Installation
let merchant: Merchant
before(async () => {
  installation = await openInstallation()
  merchant = await installation.newMerchant()
})
after(() => installation[Symbol.asyncDispose]())

const pay = (body: unknown) => installation.pay(merchant.key, { amount: 100, ...(body as object) })
const open = (body: unknown) =>
  installation.ask({ path: '/v1-checkout', key: merchant.key, body: { amount: 100, ...(body as object) } })

const LINES = 'Two loincloths\r\n\tblue\n'

describe('line breaks and tabs', () => {
  test('are kept as they were written in the description and the metadata of a payment', async () => {
    const answer = await pay({ description: LINES, metadata: { note: LINES, list: [{ deep: LINES }] } })
    assert.equal(answer.status, 201, answer.text)
    const { id } = answer.json() as { id: string }
    const [row] = await installation.db.sql<{ description: string; metadata: unknown }[]>`
      select description, metadata from payments where id = ${id}`
    assert.deepEqual(row, { description: LINES, metadata: { note: LINES, list: [{ deep: LINES }] } })
  })

  test('are kept in the description of a checkout session', async () => {
    const answer = await open({ description: LINES })
    assert.equal(answer.status, 201, answer.text)
    assert.equal((answer.json() as { description: string }).description, LINES)
  })

  const elsewhere: Record<string, unknown> = {
    'in a reference': { merchant_reference: 'a\nb' },
    'in a key of the metadata': { metadata: { 'a\nb': 1 } },
    'in the number': { counterparty: { msisdn: '0701\t020304' } },
    'in a field that we do not know': { other: 'a\nb' },
  }
  for (const [where, body] of Object.entries(elsewhere)) {
    test(`are refused ${where}`, async () => {
      checkRefusal(await pay(body), 400, 'invalid_body', where)
    })
  }

  test('are refused in the reference of a payout', async () => {
    const { key } = await merchant.newKey('test', 'payout')
    const answer = await installation.ask({
      path: '/v1-payouts',
      key,
      idempotency_key: randomUUID(),
      body: { amount: 100, reference: 'a\nb' },
    })
    checkRefusal(answer, 400, 'invalid_body')
  })
})

for (const control of ['\u0000', '\u0008', '\u001b', '\u007f', '\u0080', '\u009b', '\u009f']) {
  const name = control.charCodeAt(0).toString(16)
  test(`the control character ${name} is refused in a description and in the metadata`, async () => {
    checkRefusal(await pay({ description: `a${control}b` }), 400, 'invalid_body')
    checkRefusal(await pay({ metadata: { note: `a${control}b` } }), 400, 'invalid_body')
    checkRefusal(await open({ description: `a${control}b` }), 400, 'invalid_body')
  })
}

describe('references of payments', () => {
  const made = 'commande-é-1'
  const same: Record<string, string> = {
    'written the same': made,
    'with its accent apart': 'commande-e\u0301-1',
    'with a joiner inside': 'com\u200dmande-é-1',
    'with a variation selector behind': 'commande-é-1\ufe0f',
  }

  test('are one when they differ only in invisible characters, and are returned as given', async () => {
    const shop = await installation.newMerchant()
    const first = await installation.pay(shop.key, { amount: 100, merchant_reference: 'commande-e\u0301-1' })
    assert.equal(first.status, 201, first.text)
    assert.equal((first.json() as { merchant_reference: string }).merchant_reference, 'commande-e\u0301-1')
    for (const [how, merchant_reference] of Object.entries(same)) {
      const again = await installation.pay(shop.key, { amount: 100, merchant_reference })
      checkRefusal(again, 409, 'duplicate_reference', how)
    }
    const other = await installation.pay(shop.key, { amount: 100, merchant_reference: 'Commande-é-1' })
    assert.equal(other.status, 201, other.text)
  })

  test('that are one and come at once make one payment, and similar references are not affected', async () => {
    const shop = await installation.newMerchant()
    const references = [...Object.values(same), ...Object.values(same), 'a', 'b', 'c', 'd']
    const answers = await Promise.all(
      references.map((merchant_reference) => installation.pay(shop.key, { amount: 100, merchant_reference })),
    )
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses.slice(8), [201, 201, 201, 201])
    assert.deepEqual(statuses.slice(0, 8).toSorted(), [201, ...Array(7).fill(409)])
  })
})
