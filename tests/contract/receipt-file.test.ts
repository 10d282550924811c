import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { checkRefusal } from './answers.ts'
import { json, newLink, newSession, payOn, untilStatus } from './payer.ts'

// The receipt of a payer: its code, the message to the seller, and its PDF.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

test('a receipt has a code of four letters, those of its reference, and a button to the seller’s chat with it', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await newLink(installation, merchant_id, '--amount', '700', '--whatsapp', '07 00 00 00 01')
  const { address } = await payOn(installation, path, newPayer())
  const { receipt } = await untilStatus(installation, address, 'paid')
  assert.match(receipt!.code, /^[0-9A-Z]{4}$/)
  assert.ok(receipt!.short_reference.endsWith(receipt!.code))
  const { text } = await installation.ask({ path: address, headers: { Accept: 'text/html' } })
  assert.ok(text.includes(`Code <b>${receipt!.code}</b>`))
  const to = /href="https:\/\/wa\.me\/2250700000001\?text=([^"]*)"/.exec(text)?.[1]
  const message = decodeURIComponent(to ?? '')
  assert.ok(message.includes(receipt!.code), message)
  assert.ok(message.includes(receipt!.verify_url))
  assert.ok(!message.includes(address), 'the address of the page stays with the payer')
})

test('without the seller’s number there is no such button', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await newLink(installation, merchant_id, '--amount', '700')
  const { address } = await payOn(installation, path, newPayer())
  await untilStatus(installation, address, 'paid')
  const { text } = await installation.ask({ path: address, headers: { Accept: 'text/html' } })
  assert.doesNotMatch(text, /wa\.me\/\d/)
})

test('the receipt is a small PDF once the session is paid, the same bytes each time, and nothing before', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const unpaid = await newSession(installation, key)
  checkRefusal(await installation.ask({ path: `${unpaid.path}/receipt.pdf`, headers: json }), 404, 'resource_not_found')
  checkRefusal(await installation.ask({ path: '/pay/invented/receipt.pdf', headers: json }), 404, 'resource_not_found')
  const { path } = await newLink(installation, merchant_id, '--amount', '12500', '--description', 'Pagne wax №6')
  const { address } = await payOn(installation, path, newPayer())
  await untilStatus(installation, address, 'paid')
  const read = () => installation.ask({ path: `${address}/receipt.pdf` })
  const [first, again] = [await read(), await read()]
  assert.deepEqual([first.status, first.headers['content-type']], [200, 'application/pdf'])
  assert.match(first.text, /^%PDF-1\.3/)
  assert.match(String(first.headers['content-disposition']), /^attachment; filename="[0-9a-z]{5}-[0-9a-z]{5}\.pdf"$/)
  assert.ok(first.text.length < 40_000, `${first.text.length} letters`)
  assert.equal(again.text, first.text)
})
