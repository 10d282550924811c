import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiptOf } from '../../../tests/harness/page-situations.ts'
import { writeReceiptPdf } from './write-receipt-pdf.ts'

test('a receipt on A6 is one page below 40 kB, also with the longest texts, and gives the same bytes each time', async () => {
  const long = { merchant_name: 'Établissements « Ô » '.repeat(6), description: 'x'.repeat(1_000), fee_amount: 150 }
  for (const receipt of [receiptOf(), receiptOf(long), receiptOf({ livemode: false, status: 'refunded' })]) {
    for (const language of ['fr', 'en'] as const) {
      const [first, again] = [
        await writeReceiptPdf(receipt, 'Bandama', language),
        await writeReceiptPdf(receipt, 'Bandama', language),
      ]
      assert.ok(first.equals(again))
      assert.ok(first.length < 40_000, `${first.length} bytes`)
      const text = first.toString('latin1')
      assert.equal(text.match(/\/Type \/Page\b/g)?.length, 1)
      assert.match(text, /\/MediaBox \[0 0 298 420\]/)
    }
  }
})
