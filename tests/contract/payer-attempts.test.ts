import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation, payment } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'

const SECONDS = 3
let installation: Installation
before(async () => {
  installation = await openInstallation({
    env: { PAYER_ATTEMPTS_MAX: '5', PAYER_ATTEMPTS_WINDOW_SECONDS: '600', RATE_PER_KEY: '77' },
  })
})
after(() => installation[Symbol.asyncDispose]())

const asked = (msisdn: string) => ({ amount: 100, counterparty: { msisdn } })

/** The three writings of one number. */
const writings = (payer: string) => [payer, `+225${payer}`, `00225 ${payer.replace(/(..)(?=.)/g, '$1 ')}`]

test('the sixth attempt on one payer is refused, in every spelling of the number and for every merchant', async () => {
  const [one, other] = [await installation.newMerchant(), await installation.newMerchant()]
  const payer = newPayer()
  const [local, international, spaced] = writings(payer)
  const first: [key: string, msisdn: string][] = [
    [one.key, local!],
    [other.key, international!],
    [one.key, spaced!],
    [other.key, local!],
    [one.key, international!],
  ]
  for (const [key, msisdn] of first) checkPayment(await installation.pay(key, asked(msisdn)), 201)

  const refused = []
  for (const { key } of [one, other, await installation.newMerchant()]) {
    for (const msisdn of writings(payer)) refused.push(await installation.pay(key, asked(msisdn)))
  }
  const messages = refused.map((answer) => checkRefusal(answer, 429, 'too_many_attempts'))
  assert.equal(new Set(messages).size, 1, 'the message is the same for everybody')
  assert.doesNotMatch(messages[0]!, /\d/, 'and gives no cadence')
  // Its headers are those of the key that called, which say nothing of the payer.
  for (const { headers } of refused) {
    assert.equal(headers['ratelimit-limit'], '77')
    assert.ok(Number(headers['ratelimit-remaining']) > 0)
  }

  checkPayment(await installation.pay(one.key, asked(newPayer())), 201, {}, 'another payer')
  checkPayment(await installation.pay(one.key, { amount: 100 }), 201, {}, 'no payer')
  const live = await one.newKey('live', 'collect')
  checkPayment(await installation.pay(live.key, asked(payer)), 201, {}, 'the other mode')
  const simulated = { ...asked(payer), simulate: 'succeed' }
  checkPayment(await installation.pay(one.key, simulated), 201, {}, 'simulated')
  checkRefusal(await installation.pay(one.key, asked(payer)), 429, 'too_many_attempts', 'still')
})

test('simulated payments do not count', async () => {
  const { key } = await installation.newMerchant()
  const payer = newPayer()
  const simulated = { ...asked(payer), simulate: 'succeed' }
  for (let time = 1; time <= 8; time += 1) checkPayment(await installation.pay(key, simulated), 201)
  for (let time = 1; time <= 5; time += 1) checkPayment(await installation.pay(key, asked(payer)), 201)
  checkRefusal(await installation.pay(key, asked(payer)), 429, 'too_many_attempts')
})

test('live payments count, with or without `simulate`', async () => {
  const { newKey } = await installation.newMerchant()
  const { key } = await newKey('live', 'collect')
  const sent = { ...asked(newPayer()), simulate: 'succeed' }
  for (let time = 1; time <= 5; time += 1) checkPayment(await installation.pay(key, sent), 201)
  checkRefusal(await installation.pay(key, sent), 429, 'too_many_attempts')
})

test('a request that led to no payment does not count: refusals and replays', async () => {
  const { key } = await installation.newMerchant()
  const payer = newPayer()
  const idempotency_key = randomUUID()
  const first = { ...asked(payer), merchant_reference: randomUUID() }
  checkPayment(await installation.pay(key, first, { idempotency_key }), 201)
  for (let time = 1; time <= 8; time += 1) {
    checkPayment(await installation.pay(key, first, { idempotency_key }), 201, {}, 'a replay')
    checkRefusal(await installation.pay(key, first), 409, 'duplicate_reference')
    checkRefusal(await installation.pay(key, { ...asked(payer), amount: 99_999_999 }), 422, 'amount_above_limit')
  }
  for (let time = 2; time <= 5; time += 1) checkPayment(await installation.pay(key, asked(payer)), 201, {}, `${time}`)
  checkRefusal(await installation.pay(key, asked(payer)), 429, 'too_many_attempts')
  checkPayment(await installation.pay(key, first, { idempotency_key }), 201, {}, 'a replay, still')
})

test('of a hundred concurrent attempts five pass', async () => {
  const payer = newPayer()
  const merchants = [await installation.newMerchant(), await installation.newMerchant()]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => {
      const { key } = merchants[at % 2]!
      return installation.ask(payment(key, asked(writings(payer)[at % 3]!)))
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 5)
  for (const answer of answers.filter(({ status }) => status !== 201)) checkRefusal(answer, 429, 'too_many_attempts')
})

test('after the window a payer can be asked again', async () => {
  await using quick = await openInstallation({
    env: { PAYER_ATTEMPTS_MAX: '1', PAYER_ATTEMPTS_WINDOW_SECONDS: String(SECONDS) },
  })
  const { key } = await quick.newMerchant()
  const sent = asked(newPayer())
  const began = performance.now()
  checkPayment(await quick.pay(key, sent), 201)
  checkRefusal(await quick.pay(key, sent), 429, 'too_many_attempts')
  await waitFor(async () => (await quick.pay(key, sent)).status === 201, { what: 'a new window' })
  assert.ok(performance.now() - began > (SECONDS - 0.1) * 1_000, 'not before')
})
