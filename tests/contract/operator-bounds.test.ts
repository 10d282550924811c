import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { setFees } from '../harness/fees.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { codeOf } from './answers.ts'
import { countPayments, newSession, open, openLink, submit, until, untilStatus } from './payer.ts'
import { PATIENCE } from './sender.ts'

// Live mode with two operators that take different amounts: MTN up to 1 000 francs, because its route says so, and Orange up to the 2 000
// that it tells itself. A payer reads which of them do not take the amount before one is asked.

const AWA = ['--as', 'awa@example.com']

let twin: RunningTwin
let installation: Installation
let merchant: Merchant
let key: string
let folder: string
before(async () => {
  twin = await startTwin()
  twin.change('pawapay', { max_amount: 2_000 })
  folder = await mkdtemp(join(tmpdir(), 'bounds-'))
  installation = await openInstallation({ own: 'connects operators' })
  merchant = await installation.newMerchant()
  key = (await merchant.newKey('live', 'collect')).key
  const path = join(folder, 'settings.json')
  await writeFile(path, JSON.stringify(twin.connectors().pawapay!.settings))
  const words = ['--name', 'main', '--type', 'pawapay', '--mode', 'live', '--settings', path]
  await installation.bandama('connector', 'set', ...words, ...AWA)
  for (const [operator, ...max] of [['mtn_ci', '--max', '1000'], ['orange_ci']]) {
    const route = ['--mode', 'live', '--operator', operator!, '--direction', 'collect', '--connectors', 'main']
    await installation.bandama('route', 'set', ...route, ...max, ...AWA)
  }
  type Shown = { code: string; operator_limits: { collection: { max: number } | null } | null }
  await waitFor(
    async () => {
      const { data } = (await installation.ask({ path: '/x/operators', key })).json() as { data: Shown[] }
      const max = (code: string) => data.find((one) => one.code === code)!.operator_limits?.collection?.max
      return max('mtn_ci') === 1_000 && max('orange_ci') === 2_000
    },
    { ...PATIENCE, what: 'the bounds' },
  )
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

/** An unused telephone of MTN, outside the twin's table of numbers that behave by themselves. */
const newPhone = () => newPayer().replace(/^07/, '05').replace(/0000$/, '7777')

const pageIn = async (path: string, language: string) =>
  (await installation.ask({ path, headers: { Accept: 'text/html', 'Accept-Language': language } })).text

async function newLink(...words: string[]): Promise<string> {
  const of = ['--merchant', String(merchant.merchant_id), '--mode', 'live']
  const { url } = (await installation.bandama('link', 'create', ...of, ...words)) as { url: string }
  return new URL(url).pathname
}

test('a session for an amount that no operator accepts is made, and the answer says so', async () => {
  const made = async (amount: number) => (await newSession(installation, key, { amount })) as { warning?: string }
  assert.match((await made(2_001)).warning ?? '', /takes this amount/)
  assert.equal((await made(2_000)).warning, undefined)
})

test('a session offers the operators that take its amount, and names the others before a payer tries', async () => {
  const { path } = await newSession(installation, key, { amount: 1_001 })
  const { operators, out_of_bounds_operators, nonce } = await open(installation, path)
  assert.deepEqual([operators, out_of_bounds_operators], [['orange_ci'], ['mtn_ci']])
  assert.match(await pageIn(path, 'en'), /Not possible for this amount: MTN MoMo\./)
  assert.match(await pageIn(path, 'fr'), /Pas possible pour ce montant\u00a0: MTN MoMo\./)
  assert.doesNotMatch(await pageIn(path, 'en'), /name="operator" value="mtn_ci"/)

  const msisdn = newPhone()
  const proposed = await submit(installation, `${path}/operator`, { nonce, msisdn })
  assert.deepEqual(proposed.json(), { operator: null })
  for (const operator of ['mtn_ci', '']) {
    const answer = await submit(installation, path, { nonce, msisdn, operator })
    assert.deepEqual([answer.status, codeOf(answer)], [422, 'invalid_operator'])
  }
  assert.deepEqual(await countPayments(installation, merchant.merchant_id), { payments: 0, orders: 0 })
  const answer = await submit(installation, path, { nonce, msisdn, operator: 'orange_ci' })
  assert.equal(answer.status, 200, answer.text)
  await twin.phone(msisdn).approve()
  await untilStatus(installation, path, 'paid')
})

test('an amount equal to a bound is accepted, and if no operator accepts the amount the page says so instead of a form', async () => {
  const within = await newSession(installation, key, { amount: 1_000 })
  const { operators, out_of_bounds_operators } = await open(installation, within.path)
  assert.deepEqual([operators, out_of_bounds_operators], [['orange_ci', 'mtn_ci'], []])
  assert.doesNotMatch(await pageIn(within.path, 'en'), /Not possible for this amount/)

  const beyond = await newSession(installation, key, { amount: 2_001 })
  const page = await pageIn(beyond.path, 'en')
  assert.match(page, /This amount cannot be paid here/)
  assert.match(page, /Not possible for this amount: Orange Money, MTN MoMo\./)
  assert.doesNotMatch(page, /<form/)
})

test('a payer who chooses an amount out of bounds reads it at the form, and no session begins', async () => {
  const path = await newLink('--min', '500', '--max', '5000', '--reusable')
  const before = await countPayments(installation, merchant.merchant_id)
  const { operators, out_of_bounds_operators, nonce } = await openLink(installation, path)
  assert.deepEqual([operators, out_of_bounds_operators], [['orange_ci', 'mtn_ci'], []])
  const form = (amount: number, operator: string) => ({ nonce, amount, msisdn: newPhone(), operator })
  for (const [amount, operator, code] of [
    [1_001, 'mtn_ci', 'invalid_operator'],
    [2_001, 'orange_ci', 'invalid_operator'],
    [5_001, 'mtn_ci', 'amount_too_large'],
  ] as const) {
    assert.equal(codeOf(await submit(installation, path, form(amount, operator))), code)
  }
  const refused = await installation.ask({
    ...{ method: 'POST', path, body: form(1_001, 'mtn_ci') },
    headers: { Accept: 'text/html', 'Accept-Language': 'en' },
  })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /id="operator-error">Not possible for this amount: MTN MoMo\./)
  const sessions = await installation.db.sql`
    select id from checkout_sessions where merchant_id = ${merchant.merchant_id} and link_id is not null`
  assert.equal(sessions.length, 0)
  assert.deepEqual(await countPayments(installation, merchant.merchant_id), before)
  assert.equal((await submit(installation, path, form(1_001, 'orange_ci'))).status, 200)
})

test('a fee on top counts: the amount taken from the wallet lies within the bounds', async () => {
  await setFees(installation.db.sql, {
    ...{ merchant_id: merchant.merchant_id, service: 'collection', bearer: 'payer', effective_from: null },
    ...{ basis_points: 0, fixed: 100, minimum: 0, maximum: null },
  })
  const { path } = await newSession(installation, key, { amount: 950 })
  const facts = await until(installation, path, 'the fee', ({ fee_amount }) => fee_amount === 100)
  assert.deepEqual([facts.amount_collected, facts.out_of_bounds_operators], [1_050, ['mtn_ci']])
  const link = await newLink('--min', '500', '--max', '5000', '--reusable')
  const { nonce } = await openLink(installation, link)
  const answer = await installation.ask({
    ...{ method: 'POST', path: link, body: { nonce, amount: 1_950 } },
    headers: { Accept: 'text/html', 'Accept-Language': 'en' },
  })
  assert.equal(answer.status, 422)
  assert.match(answer.text, /Not possible for this amount: Orange Money, MTN MoMo\./)
})
