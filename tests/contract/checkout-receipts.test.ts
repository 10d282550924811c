import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { VerifyFacts } from '../../src/checkout/page/facts.ts'
import { type Installation, newAddress, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { json, newSession, open, payOn, untilStatus } from './payer.ts'
import { newSender, PATIENCE } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { PAGE_GUESSES_PER_ADDRESS: '20' } })
})
after(() => installation[Symbol.asyncDispose]())

/** The page of a new session of 10 000 francs. */
async function newPage() {
  const { key } = await installation.newMerchant()
  return newSession(installation, key)
}

async function check(text: string, address = newAddress()) {
  const path = `/verify?receipt=${encodeURIComponent(text)}`
  const answer = await installation.ask({ path, headers: { ...json, 'X-Forwarded-For': address } })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json() as VerifyFacts).verification!
}

test('anybody checks a receipt: here, or with the published key alone', async () => {
  const { path } = await newPage()
  await payOn(installation, path, newPayer())
  const { receipt } = await untilStatus(installation, path, 'paid')
  const { signed_text, verify_url, payment_id, paid_at, merchant_name } = receipt!
  const url = new URL(verify_url)
  assert.deepEqual([url.pathname, url.searchParams.get('receipt')], ['/verify', signed_text])
  const found = await check(signed_text)
  assert.ok(found.valid)
  const claim = { payment_id, paid_at, merchant_name, amount: 10_000, fee_amount: 0, amount_collected: 10_000 }
  assert.deepEqual(found, {
    valid: true,
    claim: { ...claim, operator: 'orange_ci', livemode },
    status: 'succeeded',
  })
  // As a person copies it from a message.
  assert.equal((await check(` ${signed_text.slice(0, 60)}\n${signed_text.slice(60)} `)).valid, true)
  // As a camera reads the code, and as the address stands in a browser afterwards.
  for (const address of [verify_url, `${verify_url}&lang=fr`, verify_url.replace('?', '?lang=en&')]) {
    assert.equal((await check(address)).valid, true, address)
  }

  const pem = (await installation.ask({ path: '/verify/key' })).text
  const [format, content, signature] = signed_text.split('.')
  const signed = Buffer.from(`${format}.${content}`)
  assert.ok(verify(null, signed, createPublicKey(pem), Buffer.from(signature!, 'base64url')))
  const jwk = (await installation.ask({ path: '/verify/key', headers: json })).json() as object
  assert.ok(
    verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' } as never), Buffer.from(signature!, 'base64url')),
  )
})

test('the service does not confirm a receipt that was changed, forged or issued by another service', async () => {
  const { path } = await newPage()
  await payOn(installation, path, newPayer())
  const { signed_text } = (await untilStatus(installation, path, 'paid')).receipt!
  const [format, content, signature] = signed_text.split('.') as [string, string, string]
  const claim = JSON.parse(Buffer.from(content, 'base64url').toString()) as unknown[]
  const changed = Buffer.from(JSON.stringify(claim.with(2, 1_000_000))).toString('base64url')
  assert.deepEqual(await check(`${format}.${changed}.${signature}`), { valid: false, reason: 'forged' })
  assert.deepEqual(await check(`${format}.${content}.${signature.slice(0, -4)}AAAA`), {
    valid: false,
    reason: 'forged',
  })
  for (const text of [
    'x',
    `BDM2.${content}.${signature}`,
    `${content}.${signature}`,
    `${signed_text}.x`,
    `x${signed_text}`,
    `https://evil.example/?receipt=${signed_text}x.y`,
    'https://evil.example/verify?receipt=',
    '<script>',
    '€',
  ]) {
    assert.deepEqual(await check(text), { valid: false, reason: 'unreadable' }, text)
  }
})

test('a receipt of refunded money says so', async () => {
  const sender = await newSender(installation, { funds: 0 })
  const { path } = await newSession(installation, sender.merchant.key)
  await payOn(installation, path, newPayer())
  const { signed_text, payment_id } = (await untilStatus(installation, path, 'paid')).receipt!
  await installation.bandama('refund', 'create', '--payment', payment_id, '--as', 'aya@example.com')
  await waitFor(
    async () => {
      const found = await check(signed_text)
      return found.valid && found.status === 'refunded'
    },
    { ...PATIENCE, what: 'the refund' },
  )
  const facts = await open(installation, path)
  assert.deepEqual([facts.status, facts.receipt?.status], ['paid', 'refunded'])
})

test('support finds a payment by the short reference that a payer reads out', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const { path, id } = await newSession(installation, key)
  const msisdn = newPayer()
  await payOn(installation, path, msisdn)
  const { receipt } = await untilStatus(installation, path, 'paid')
  const { short_reference, payment_id, msisdn_end } = receipt!
  assert.match(short_reference, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  assert.equal(msisdn_end, msisdn.slice(-2))
  const heard = short_reference.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
  const { payments } = (await installation.bandama('receipt', 'find', '--reference', heard)) as {
    payments: Record<string, unknown>[]
  }
  assert.equal(payments.length, 1)
  const { created_at, ...found } = payments[0]!
  assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 300_000)
  assert.deepEqual(found, {
    short_reference,
    merchant_id,
    livemode,
    payment_id,
    status: 'succeeded',
    amount_collected: 10_000,
    operator: 'orange_ci',
    merchant_reference: null,
    checkout_session_id: id,
    payer: `+225******${msisdn.slice(-4)}`,
  })
  const none = await installation.bandama('receipt', 'find', '--reference', '00000-00000')
  assert.deepEqual(none, { payments: [] })
  await assert.rejects(installation.bandama('receipt', 'find', '--reference', payment_id), /ten letters and digits/)
})

test('checks of receipts are limited, and a request without a receipt does not count', async () => {
  const address = newAddress()
  const asked = (query: string) =>
    installation.ask({ path: `/verify${query}`, headers: { ...json, 'X-Forwarded-For': address } })
  for (let time = 0; time < 30; time += 1) assert.equal((await asked('')).status, 200)
  const limited = await waitFor(async () => {
    const answer = await asked('?receipt=x')
    return answer.status === 429 && answer
  }, PATIENCE)
  checkRefusal(limited, 429, 'rate_limit_exceeded')
  assert.equal((await asked('')).status, 200)
})
