import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { checkRefusal } from './answers.ts'
import { type Installation, type Merchant, openInstallation } from './installation.ts'

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
