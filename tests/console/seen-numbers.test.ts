import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addLink, newSession, openLink, payOn } from '../contract/payer.ts'
import { inline, newNumber, post } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { newShop, read } from './batch-shop.ts'

// Each door to which people bring a number or an amount that they copied. `tests/catalogue/seen-texts.test.ts` generates the spellings.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** A number as a telephone's contacts, a chat, a PDF and a keyboard of East Asia write it. */
const disguises: readonly ((number: string) => string)[] = [
  (number) => `\u202a+225 ${number}\u202c`,
  (number) => `\u2068${number.replace(/\d\d\B/g, '$&\u200b')}\u2069`,
  (number) => number.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
]

test('a number that was copied with invisible signs is that number at every door of the API, and a merchant’s reference stays as given', async () => {
  const shop = await newShop(installation)
  const { ask } = installation
  const { key: collecting } = await shop.sender.merchant.newKey(mode, 'collect')
  for (const disguise of disguises) {
    const last4 = (answer: { text: string; status: number }, number: string) => {
      assert.ok(answer.status === 200 || answer.status === 201, answer.text)
      assert.ok(answer.text.includes(number.slice(-4)), answer.text)
    }
    const payment = newNumber()
    const merchant_reference = `\u200eORD-${payment}\u200e`
    const body = { amount: 500, merchant_reference, counterparty: { msisdn: disguise(payment) } }
    const paid = await ask(post('/v1-payments', collecting, body))
    last4(paid, payment)
    assert.equal((paid.json() as { merchant_reference: string }).merchant_reference, merchant_reference)
    const again = await ask(post('/v1-payments', collecting, { ...body, merchant_reference: `ORD-${payment}` }))
    assert.equal(again.status, 409, 'and it is compared without them')
    const payout = newNumber()
    const beneficiary = { ...inline(), msisdn: disguise(payout) }
    last4(await shop.sender.send({ amount: 500, beneficiary }), payout)
    last4(await shop.sender.prepare({ reference: 'lot', lines: [{ amount: 500, beneficiary }] }), payout)
    const saved = newNumber()
    const entry = { operator: 'orange_ci', name: 'Awa Koné', msisdn: disguise(saved) }
    last4(await ask(post('/v1-beneficiaries', shop.sender.key, entry)), saved)
    const predicted = await ask(post('/x/operators/predict', shop.sender.key, { msisdn: disguise(newNumber()) }))
    assert.equal(predicted.status, 200, predicted.text)
  }
})

test('amounts of the API stay whole numbers of JSON', async () => {
  const shop = await newShop(installation)
  for (const amount of ['500', '\uff15\uff10\uff10', '500 F', 500.5]) {
    const answer = await shop.sender.send({ amount, beneficiary: inline() })
    assert.ok(answer.status === 400 || answer.status === 422, answer.text)
  }
})

test('a number and an amount that a payer copied are read on the page, as JSON and as a form', async () => {
  const shop = await newShop(installation)
  const { ask } = installation
  const { key } = await shop.sender.merchant.newKey(mode, 'collect')
  for (const disguise of disguises) {
    const session = await newSession(installation, key)
    const { attempt } = await payOn(installation, session.path, disguise(newNumber()))
    assert.ok(attempt !== null)
    const { path } = await addLink(installation, shop.sender.tenant.merchant_id, {
      kind: 'free',
      min_amount: 100,
      max_amount: 100_000,
    })
    const { nonce } = await openLink(installation, path)
    const fields = new URLSearchParams({ nonce, msisdn: disguise(newNumber()), amount: '\u200e5\u202f000\u200e' })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
    const answer = await ask({ path, text: fields.toString(), headers })
    assert.ok(answer.status === 303 || answer.status === 200, answer.text)
  }
})

test('a copied number is found by the searches of the console and the book, and read by the forms', async () => {
  const shop = await newShop(installation)
  for (const disguise of disguises) {
    const number = newNumber()
    const sent = await shop.sender.send({ amount: 500, beneficiary: { ...inline(), msisdn: number } })
    assert.equal(sent.status, 201, sent.text)
    const { id } = sent.json() as { id: string }
    const q = new URLSearchParams({ q: disguise(number) })
    assert.ok((await shop.mariam.get(`${shop.base}/search?${q}`)).text.includes(id), disguise(number))
    const saved = newNumber()
    const page = `${shop.base}/beneficiaries`
    const added = await shop.mariam.post(
      page,
      { msisdn: disguise(saved), operator: 'wave_ci', name: 'Aya' },
      `${page}/new`,
    )
    assert.ok(added.status === 303 || added.status === 200, added.text)
    const text = new URLSearchParams({ text: disguise(saved) })
    assert.match(await read(shop.mariam.get(`${page}?${text}`)), /Aya/)
  }
  const foreign = await shop.mariam.post(
    `${shop.base}/beneficiaries`,
    { msisdn: '+221 77 123 45 69', operator: 'wave_ci', name: 'Khady' },
    `${shop.base}/beneficiaries/new`,
  )
  assert.equal(foreign.status, 422)
  assert.match(await read(foreign), /C’est un numéro du Sénégal \(\+221\)/)
})
