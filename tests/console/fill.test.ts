import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { depositReference } from '../../src/merchants/deposit-reference.ts'
import { newCollector } from '../contract/collector.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { confirmed, read } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

async function newShop(roles: string[]) {
  const collector = await newCollector(installation)
  await collector.collect(60_000)
  const { merchant_id, livemode } = collector.tenant
  const person = await openMember(installation, 'Aya Kouassi', { merchant_id, roles })
  return { collector, merchant_id, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, person }
}

const fill = (person: Member, base: string, fields: Record<string, string>) =>
  confirmed(person, `${base}/fill`, fields, `${base}/fill`)

test('an owner or an accountant moves available money to the payout balance, once for each form', async () => {
  for (const role of ['owner', 'accountant']) {
    const { base, person, collector } = await newShop([role])
    const before = await collector.balances()
    const fields = { amount: '20 000', key: randomUUID() }
    const done = await fill(person, base, fields)
    assert.equal(done.location, `${base}/fill?made=${fields.key}`)
    const page = await read(person.get(done.location!))
    assert.match(page, /Rechargé.*20 000.*Il y a maintenant 20 000 F CFA pour vos envois/s)
    assert.equal((await fill(person, base, fields)).location, done.location)
    const now = await collector.balances()
    assert.deepEqual([now.transfer, now.available], [20_000, before.available - 20_000])
    const other = await fill(person, base, { ...fields, amount: '1' })
    assert.equal(other.status, 422)
    assert.match(await read(other), /déjà inscrite, avec 20 000/)
    const much = await fill(person, base, { amount: '900 000', key: randomUUID() })
    assert.equal(much.status, 422)
    assert.match(await read(much), /Le solde disponible ne le couvre pas.*value="900 000"/s)
  }
})

test('others read the reference of a transfer, and who may move money, and are refused', async () => {
  const { base, merchant_id, person } = await newShop(['maker'])
  const page = await read(person.get(`${base}/fill`))
  assert.ok(page.includes(depositReference(merchant_id)))
  assert.match(page, /l’un de ces rôles peut les passer à vos envois : Propriétaire, Comptable/)
  assert.equal((await person.post(`${base}/fill`, { amount: '1', key: 'x' }, `${base}/account`)).status, 403)
})

test('finance finds the merchant by the reference of its transfer, and the deposit shows on its page', async () => {
  const { base, merchant_id, person, collector } = await newShop(['owner'])
  const desk = base.replace('/console/', '/desk/').replace(/\/\d+$/, '')
  const finance = await openMember(installation, 'Finance', { staff: ['finance'] })
  const reference = depositReference(merchant_id)
  const posted = await finance.post(`${desk}/search/sealed`, { q: `VIR ${reference.toLowerCase()}` }, `${desk}/search`)
  const found = await finance.get(posted.location!)
  assert.equal(found.location, `${desk}/merchants/${merchant_id}/money`)
  assert.ok((await read(finance.get(found.location!))).includes(reference))
  await installation.bandama('deposit', ...collector.words, '--amount', '30000', '--reference', 'VIR-2026-0931')
  assert.match(await read(person.get(`${base}/fill`)), /VIR-2026-0931.*30 000 F CFA.*Reçu/s)
})
