import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { checkRefusal } from './answers.ts'
import { countPayments, newSession, open, payOn, submit, untilAttempt } from './payer.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** A session whose first attempt has failed, with that attempt and what its form sends. */
async function failedSession(merchant?: Merchant) {
  const { key, merchant_id } = merchant ?? (await installation.newMerchant())
  const { path, id } = await newSession(installation, key)
  const msisdn = newPayer().replace(/0000$/, '0001')
  await payOn(installation, path, msisdn)
  const { attempt, nonce } = await untilAttempt(installation, path, 'failed')
  return { path, id, merchant_id, msisdn, retry: attempt!.payment_id, nonce, shown: `•• •• •• •• ${msisdn.slice(-2)}` }
}

const numbersOf = (session_id: string) => installation.db.sql<{ msisdn: string }[]>`
  select msisdn from payments where checkout_session_id = ${session_id} order by id`

test('an unchanged retry form asks the previous number, which no page shows', async () => {
  const { path, id, msisdn, retry, nonce, shown } = await failedSession()
  const { text } = await installation.ask({ path, headers: { Accept: 'text/html' } })
  assert.ok(text.includes(`name="msisdn" value="${shown}"`) && text.includes(`name="retry" value="${retry}"`))
  assert.match(text, /value="orange_ci" checked/)
  assert.ok(!text.includes(msisdn.slice(2, 8)))
  const answer = await submit(installation, path, { nonce, retry, msisdn: shown })
  assert.equal(answer.status, 200, answer.text)
  const numbers = await numbersOf(id)
  assert.deepEqual(
    numbers.map((row) => row.msisdn),
    [`+225${msisdn}`, `+225${msisdn}`],
  )
})

test('a payer can type another number over it', async () => {
  const { path, id, retry, nonce } = await failedSession()
  const other = newPayer()
  assert.equal((await submit(installation, path, { nonce, retry, msisdn: other })).status, 200)
  assert.equal((await numbersOf(id))[1]?.msisdn, `+225${other}`)
})

test('the end of a number is accepted for the number only in the session that asked it', async () => {
  const merchant = await installation.newMerchant()
  const { path, merchant_id, retry, nonce, shown } = await failedSession(merchant)
  const elsewhere = await failedSession(merchant)
  const forms = [
    { msisdn: shown },
    { retry: elsewhere.retry, msisdn: shown },
    { retry: 'txn_none', msisdn: shown },
    { retry, msisdn: '•• •• •• •• 99' },
    { retry, msisdn: '•• •• •• •• ' },
    { retry, msisdn: '' },
  ]
  for (const form of forms) {
    const answer = await submit(installation, path, { nonce, ...form })
    checkRefusal(answer, 422, 'invalid_msisdn', JSON.stringify(form))
  }
  assert.equal((await countPayments(installation, merchant_id)).payments, 2)
})

test('a wish for another number is noted in the address and begins the next form empty', async () => {
  const { path, retry } = await failedSession()
  const page = async (query: string) =>
    (await installation.ask({ path: `${path}?lang=fr${query}`, headers: { Accept: 'text/html' } })).text
  assert.ok((await page('')).includes(retry))
  const wished = await page('&other=1')
  assert.ok(!wished.includes('name="retry"') && !wished.includes('•• ••'))
  assert.doesNotMatch(wished, /name="operator"[^>]* checked/)
  // The script's address and the switch of languages keep the wish.
  assert.match(wished, /data-address="\/pay\/\w+\?lang=fr&amp;other=1"/)
  assert.match(wished, /href="\/pay\/\w+\?other=1&amp;lang=en"/)
  assert.equal((await open(installation, path)).attempt?.status, 'failed')
})
