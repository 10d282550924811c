import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mode } from '../harness/mode.ts'
import { openSettlementDesk, type SettlementDesk } from './settlement-desk.ts'

// Deposits and adjustments that finance begins on the desk.

let installation: SettlementDesk['installation']
let settler: SettlementDesk['settler']
let ama: SettlementDesk['ama']
let kofi: SettlementDesk['kofi']
let support: SettlementDesk['support']
let at: string
let page: string

before(async () => {
  ;({ installation, settler, ama, kofi, support } = await openSettlementDesk())
  at = `/desk/${mode}/merchants/${settler.tenant.merchant_id}`
  page = `${at}/money`
})
after(() => installation[Symbol.asyncDispose]())

test('a deposit is booked once for each reference of the bank, with a fresh factor', async () => {
  const fields = { deposited: '300 000', reference: 'VIR-2026-0042' }
  assert.equal((await support.post(`${at}/deposit`, fields, page)).status, 403)
  const { ask, done } = await ama.confirm(`${at}/deposit`, fields, page)
  assert.match(ask.text, /VIR-2026-0042/)
  assert.equal(done.location, `${at}?done=deposited`)
  assert.equal((await settler.balances()).transfer, 300_000)
  // A repetition by any person books nothing.
  const { done: again } = await kofi.confirm(`${at}/deposit`, fields, page)
  assert.equal(again.location, `${at}?done=deposited`)
  assert.equal((await settler.balances()).transfer, 300_000)
  const { done: other } = await ama.confirm(`${at}/deposit`, { ...fields, deposited: '400000' }, page)
  assert.equal(other.status, 422)
  assert.match(other.text, /déjà inscrite/)
  assert.match(other.text, /value="400000"/)
  assert.equal((await settler.balances()).transfer, 300_000)
})

test('an adjustment is proposed on the desk, and another person books it', async () => {
  const { available } = await settler.balances()
  assert.match(
    (await support.get(`/desk/${mode}/adjustments`)).text,
    /Un ajustement se propose sur la page de son marchand/,
  )
  const fields = { direction: 'credit', amount: '700', against: 'fees', reason: 'Frais pris deux fois' }
  assert.equal((await support.post(`${at}/adjustment`, fields, page)).status, 403)
  const { ask, done } = await ama.confirm(`${at}/adjustment`, fields, page)
  assert.match(ask.text, /Une deuxième personne décide/)
  const path = done.location!.split('?')[0]!
  assert.match(path, new RegExp(`^/desk/${mode}/adjustments/adj_`))
  assert.equal((await settler.balances()).available, available)
  const { done: own } = await ama.confirm(`${path}/approve`, {}, page)
  assert.equal(own.status, 409)
  const { done: booked } = await kofi.confirm(`${path}/approve`, {}, path)
  assert.equal(booked.location, `${path}?done=confirmed`)
  assert.equal((await settler.balances()).available, available + 700)
})

test('the page of an adjustment names the person to whom it is assigned', async () => {
  const fields = { direction: 'credit', amount: '300', against: 'fees', reason: 'Frais de trop' }
  const { done } = await ama.confirm(`${at}/adjustment`, fields, page)
  const path = done.location!.split('?')[0]!
  await support.post(`/desk/${mode}/take/${path.split('/').at(-1)}`, {}, path)
  assert.match((await ama.get(path)).text, /Issa Cissé suit cette affaire/)
})

test('a form with an error is shown again with all typed text', async () => {
  for (const [path, fields, words] of [
    ['deposit', { deposited: '0', reference: 'VIR-9' }, /Écrivez une somme/],
    ['deposit', { deposited: '77', reference: '' }, /référence de la banque, de 1/],
    ['adjustment', { direction: 'debit', amount: '77', against: 'nobody', reason: 'x' }, /Ce mode n’a pas ce compte/],
    ['adjustment', { direction: 'debit', amount: '77', against: 'bank', reason: '' }, /Dites pourquoi/],
  ] as const) {
    const refused = await ama.post(`${at}/${path}`, fields, page)
    assert.equal(refused.status, 422)
    assert.match(refused.text, words)
    const typed = 'reference' in fields && fields.reference !== '' ? fields.reference : '77'
    assert.match(refused.text, new RegExp(`value="${typed}"`))
  }
  assert.equal((await ama.get(`/desk/${mode}/merchants/999999/money`)).status, 404)
})
