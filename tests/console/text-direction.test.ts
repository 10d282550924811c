import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inline } from '../contract/sender.ts'
import { openInstallation } from '../harness/installation.ts'
import { newShop } from './batch-shop.ts'

test('a name cannot turn the number beside it backwards', async () => {
  await using installation = await openInstallation()
  const { aya, base, sender } = await newShop(installation)
  const beneficiary = { ...inline(), name: 'Awa Koné\u202e' }
  const { id } = (await sender.send({ amount: 250_000, beneficiary })).json() as { id: string }
  const page = `${base}/approvals/${id}`
  for (const { text } of [await aya.get(page), await aya.post(`${page}/approve`, {}, page)]) {
    assert.match(text, /Awa Koné\ufffd<\/b>/)
    assert.doesNotMatch(text, /\u202e/)
  }
})
