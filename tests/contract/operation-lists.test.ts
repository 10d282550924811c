import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders, checkPayment, checkPaymentShape, checkRefusal } from './answers.ts'
import type { Payment } from './payment-fields.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { inline, newSender, PATIENCE, payout, type Sender } from './sender.ts'
import { checkSettlement, newSettler } from './settler.ts'

type Listed = Record<string, unknown> & { id: string; status: string; livemode: boolean }
type List = { object: string; data: Listed[]; limit: number; has_more: boolean }

let installation: Installation
let sender: Sender

before(async () => {
  installation = await openInstallation()
  sender = await newSender(installation)
})
after(() => installation[Symbol.asyncDispose]())

async function list(path: string, key = sender.key): Promise<List> {
  const answer = await installation.ask({ path, key })
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  return answer.json() as List
}
const idsOf = ({ data }: List) => data.map(({ id }) => id)

test('after a crash a merchant finds its requests by its own reference, with their content', async () => {
  const { key } = sender.merchant
  const msisdn = newPayer()
  const asked = {
    amount: 1_500,
    merchant_reference: 'CMD É 1',
    description: 'Two bags\nof rice',
    metadata: { shop: 'Treichville', lines: [1, { b: null }], '1': 'first' },
    counterparty: { msisdn },
  }
  const { id } = checkPayment(await installation.pay(key, asked), 201)
  checkPayment(await installation.pay(key, { amount: 1 }), 201)
  // The same letter in another Unicode composition.
  for (const written of ['CMD É 1', 'CMD E\u0301 1']) {
    const found = await list(`/x/payments?reference=${encodeURIComponent(written)}`, key)
    assert.deepEqual([found.object, found.has_more, idsOf(found)], ['list', false, [id]])
    const { msisdn: shown, description, metadata, reference, amount_source, ...payment } = found.data[0]!
    checkPaymentShape(payment as unknown as Payment)
    assert.equal(payment.merchant_reference, 'CMD É 1')
    assert.deepEqual([reference, amount_source], [null, null])
    assert.equal(shown, `+225******${msisdn.slice(-4)}`)
    assert.deepEqual({ description, metadata }, { description: asked.description, metadata: asked.metadata })
  }
  assert.deepEqual(idsOf(await list('/x/payments?reference=CMD', key)), [])
})

test('the lists have pages, newest first, with each operation once and in its current state', async () => {
  const other = await newSender(installation)
  const made: string[] = []
  for (let nth = 0; nth < 5; nth += 1) {
    const sent = checkPayout(await other.send({ ...payout(100 + nth), reference: `P-${nth % 2}` }), 201)
    made.unshift(sent.id)
  }
  await other.untilPayout(made[0]!, 'succeeded')
  const read: string[] = []
  let after = ''
  for (let more = true; more; ) {
    const page = await list(`/x/payouts?limit=2${after}`, other.key)
    read.push(...idsOf(page))
    assert.equal(page.limit, 2)
    more = page.has_more
    after = `&starting_after=${page.data.at(-1)!.id}`
  }
  assert.deepEqual(read, made)
  assert.deepEqual(idsOf(await list('/x/payouts?reference=P-1', other.key)), [made[1], made[3]])
  const [first] = (await list('/x/payouts?status=succeeded', other.key)).data
  assert.equal(first?.id, made[0])
  const beneficiary = first?.beneficiary as { msisdn: string }
  assert.match(beneficiary.msisdn, /^\+225\*{6}\d{4}$/, 'also a number that the request named')
  assert.deepEqual(idsOf(await list('/x/payouts?status=indeterminate', other.key)), [])
})

test('a payment that just failed is in the list of failed payments and of its day, and in no other', async () => {
  const { key } = await installation.newMerchant()
  const body = { amount: 500, operator: 'mtn_ci', counterparty: { msisdn: `${newPayer().slice(0, 6)}0002` } }
  const { id } = checkPayment(await installation.pay(key, body), 201)
  await waitFor(async () => (await list('/x/payments?status=failed', key)).data.length === 1, PATIENCE)
  const [row] = (await list('/x/payments', key)).data
  const today = String(row?.created_at).slice(0, 10)
  const day = (moved: number) =>
    new Date(Date.parse(`${today}T00:00:00Z`) + moved * 86_400_000).toISOString().slice(0, 10)
  const found = { all: [id], none: [] }
  for (const [query, expected] of [
    [`day=${today}`, found.all],
    [`day=${day(-1)}`, found.none],
    [`day=${day(1)}`, found.none],
    ['operator=mtn_ci', found.all],
    ['operator=wave_ci', found.none],
    ['status=pending', found.none],
    ['status=created', found.none],
    [`status=failed&day=${today}&operator=mtn_ci`, found.all],
  ] as const) {
    assert.deepEqual(idsOf(await list(`/x/payments?${query}`, key)), expected, query)
  }
})

test('the lists show batches without their lines, and settlements whole', async () => {
  const body = { reference: 'Salaires', lines: [{ amount: 100, beneficiary: inline() }] }
  const { lines: _, ...batch } = checkBatch(await sender.prepare(body), 201)
  assert.deepEqual((await list('/x/batches?reference=Salaires&status=brouillon')).data, [batch])
  assert.deepEqual((await list('/x/batches?status=annule')).data, [])
  const settler = await newSettler(installation)
  const settlement = checkSettlement(await settler.request(5_000), 202)
  assert.deepEqual((await list('/x/settlements?status=pending_validation', settler.key)).data, [settlement])
  assert.deepEqual((await list('/x/settlements?reference=88214', settler.key)).data, [])
})

test('a list shows nothing of another merchant or of the other mode', async () => {
  const stranger = await newSender(installation)
  const ofOtherMode = await newSender(installation, { of: sender.merchant, mode: otherMode, funds: 0 })
  for (const path of ['/x/payments', '/x/payouts', '/x/batches', '/x/settlements']) {
    assert.deepEqual((await list(path, stranger.key)).data, [], path)
    assert.deepEqual((await list(path, ofOtherMode.key)).data, [], path)
    assert.ok((await list(path)).data.every(({ livemode }) => livemode === (mode === 'live')))
  }
})

test('a list names a wrong cursor or limit, and the filters that it has', async () => {
  const filters = 'The fields are status, day, reference, limit, starting_after'
  for (const [path, message] of [
    [
      '/x/payments?starting_after=pob_1',
      'starting_after must be the id of the last payment of the page before, with the prefix txn_.',
    ],
    ['/x/events?limit=0', 'limit must be a whole number of at least 1.'],
    ['/x/payments?merchant_reference=CMD-1', `merchant_reference is not a field here. ${filters}, operator.`],
    // A value that lost its name may be the number of a person.
    ['/x/batches?0799887766', `An unknown field was sent. ${filters}.`],
  ]) {
    const answer = await installation.ask({ path: path!, key: sender.key })
    checkRefusal(answer, 400, 'invalid_request', path!)
    assert.equal((answer.json() as { error: { message: string } }).error.message, message)
  }
})
