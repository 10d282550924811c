import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Bandama } from '../../sdk/typescript/src/index.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

test('a program makes a link once for one key, finds it in the list, and closes it', async () => {
  const merchant = await installation.newMerchant()
  const { key } = await merchant.newKey(mode, 'collect')
  const { links } = new Bandama({ key, url: installation.services[0]!.address })
  const wanted = { amount: 12_500, description: 'Robe' }
  const link = await links.create(wanted, { idempotencyKey: 'order-417' })
  assert.deepEqual([link.object, link.status, link.amount, link.reusable], ['payment_link', 'open', 12_500, false])
  assert.equal((await links.create(wanted, { idempotencyKey: 'order-417' })).id, link.id)
  assert.notEqual((await links.create(wanted)).id, link.id)
  const open = await Array.fromAsync(links.list({ status: 'open' }))
  assert.equal(open.length, 2)
  assert.equal((await links.close(link.id)).status, 'closed')
  assert.equal((await links.get(link.id)).status, 'closed')
  await assert.rejects(links.close(link.id), { code: 'link_not_closable' })
})
