import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'

// A merchant with a page of its own gives the one-time code that its payer received.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

const giveCode = (key: string, id: string, code: string) =>
  installation.ask({ method: 'POST', path: `/x/payments/${id}/code`, key, body: { code } })

/** A payment whose payer was sent a code. */
async function asked(key: string): Promise<string> {
  const msisdn = newPayer().replace(/0000$/, '0008')
  const { id } = checkPayment(await installation.pay(key, { amount: 100, counterparty: { msisdn } }), 201)
  const isAsked = async () => {
    return checkPayment(await installation.read(key, id), 200).next_action?.type === 'enter_code'
  }
  await waitFor(isAsked, { what: 'the code to be asked for' })
  return id
}

const untilStatus = (key: string, id: string, status: string) =>
  waitFor(async () => checkPayment(await installation.read(key, id), 200).status === status, {
    what: `${id} to be ${status}`,
  })

test("a payer's code pays once, however often and however quickly it is given", async () => {
  const { key } = await installation.newMerchant()
  const id = await asked(key)
  const answers = await Promise.all(Array.from({ length: 5 }, () => giveCode(key, id, '123456')))
  for (const answer of answers) checkPayment(answer, 200)
  await untilStatus(key, id, 'succeeded')
  checkPayment(await giveCode(key, id, '123456'), 200, { status: 'succeeded' })
  const [{ given } = { given: 0 }] = await installation.db.sql<{ given: number }[]>`
    select count(*)::int as given from code_submissions where subject_id = ${id}`
  assert.equal(given, 1)
})

test('a wrong code ends the payment, which takes no other code', async () => {
  const { key } = await installation.newMerchant()
  const id = await asked(key)
  checkPayment(await giveCode(key, id, '654321'), 200)
  await untilStatus(key, id, 'failed')
  checkPayment(await giveCode(key, id, '123456'), 200, { status: 'failed', failure_code: 'payer_wrong_code' })
})

test("a payment that asked for no code, another merchant's payment and a lapsed one take no code", async () => {
  const { key } = await installation.newMerchant()
  const { key: other } = await installation.newMerchant()
  const id = await asked(key)
  checkRefusal(await giveCode(other, id, '123456'), 404, 'resource_not_found')
  const { id: paid } = checkPayment(
    await installation.pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }),
    201,
  )
  checkRefusal(await giveCode(key, paid, '123456'), 409, 'payment_code_not_expected')
  await untilStatus(key, paid, 'succeeded')
  await installation.db.moveClock('16 minutes')
  await untilStatus(key, id, 'expired')
  checkRefusal(await giveCode(key, id, '123456'), 409, 'payment_code_not_expected')
})
