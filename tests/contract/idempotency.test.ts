import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation, payment } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal, codeOf } from './answers.ts'
import type { Answer } from './ask.ts'

let installation: Installation
let merchant: Merchant
before(async () => {
  // Two processes that answer; one of them works behind the requests too.
  installation = await openInstallation({ processes: [[], ['--only', 'api']], own: 'changes the schema' })
  merchant = await installation.newMerchant()
})
after(() => installation[Symbol.asyncDispose]())

async function paymentsOf({ merchant_id }: Merchant): Promise<number> {
  const [row] = await installation.db.sql<{ payments: number }[]>`
    select count(*)::int as payments from payments where merchant_id = ${merchant_id}`
  return row!.payments
}

test('a replay is the original answer, byte for byte, also after the payment has succeeded', async () => {
  const asked = payment(merchant.key, { amount: 100, merchant_reference: randomUUID(), simulate: 'succeed' })
  const original = await installation.ask(asked)
  const { id } = checkPayment(original, 201, { status: 'created' })
  await waitFor(async () => checkPayment(await installation.read(merchant.key, id), 200).status === 'succeeded', {
    what: 'the payment to succeed',
  })
  for (const process of [0, 1]) {
    const replay = await installation.ask(asked, process)
    checkPayment(replay, 201, { id, status: 'created' })
    assert.equal(replay.text, original.text)
    assert.notEqual(replay.headers['service-request-id'], original.headers['service-request-id'])
  }
  // Neither a later fee nor the end of the account changes the stored answer.
  const { sql } = installation.db
  await sql`insert into fee_schedules (merchant_id, service, effective_from, fixed)
            values (${merchant.merchant_id}, 'collection', clock_now(), 50)`
  assert.equal((await installation.ask(asked, 1)).text, original.text)
})

test('bodies with the same meaning are the same request', async () => {
  const { key } = await installation.newMerchant()
  const original = '{"amount":100,"metadata":{"a":1,"b":[1,2]},"description":"é"}'
  const same = [
    '{"amount":100,"description":"é","metadata":{"b":[1,2],"a":1}}',
    ' { "metadata" : { "b" : [1, 2], "a" : 1 }, "description" : "\\u00e9", "amount" : 100 } ',
  ]
  const different = [
    '{"amount":101,"metadata":{"a":1,"b":[1,2]},"description":"é"}',
    '{"amount":100,"metadata":{"a":1,"b":[2,1]},"description":"é"}',
    '{"amount":100,"metadata":{"a":1.0,"b":[1,2]},"description":"é"}',
    '{"amount":100,"metadata":{"a":"1","b":[1,2]},"description":"é"}',
    '{"amount":100,"metadata":{"a":1,"b":[1,2]},"description":"e\\u0301"}',
    '{"amount":100,"metadata":{"a":1,"b":[1,2]},"description":"é","unknown":1}',
    '{"amount":100,"metadata":{"a":1,"b":[1,2]}}',
    '{"amount":100}',
  ]
  const idempotency_key = randomUUID()
  const first = await installation.pay(key, undefined, { text: original, idempotency_key })
  checkPayment(first, 201)
  for (const text of same) {
    const replay = await installation.pay(key, undefined, { text, idempotency_key })
    assert.equal(replay.text, first.text, text)
  }
  for (const text of different) {
    const refused = await installation.pay(key, undefined, { text, idempotency_key })
    checkRefusal(refused, 422, 'idempotency_key_reused', text)
  }
})

test('an idempotency key belongs to one merchant in one mode; others can use the same text', async () => {
  const stranger = await installation.newMerchant()
  const idempotency_key = randomUUID()
  const keys = [
    merchant.key,
    stranger.key,
    (await merchant.newKey(otherMode, 'collect')).key,
    (await stranger.newKey(otherMode, 'collect')).key,
  ]
  const ids = new Set<string>()
  for (const [rank, key] of keys.entries()) {
    const answer = await installation.pay(key, { amount: 100 + rank }, { idempotency_key })
    ids.add(checkPayment(answer, 201, { amount: 100 + rank }).id)
  }
  assert.equal(ids.size, 4)
  // Another API key of the same merchant is the same merchant.
  const second = await merchant.newKey(mode, 'collect')
  checkPayment(await installation.pay(second.key, { amount: 100 }, { idempotency_key }), 201)
  checkRefusal(await installation.pay(second.key, { amount: 1 }, { idempotency_key }), 422, 'idempotency_key_reused')
})

test('an idempotency key has 8 to 255 characters, any printable ones', async () => {
  const { key } = await installation.newMerchant()
  const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => 0x20 + at)).trim()
  for (const idempotency_key of ['12345678', 'x'.repeat(255), printable, '2026-08-25 order/7 %00 \' "']) {
    const first = await installation.pay(key, { amount: 100 }, { idempotency_key })
    checkPayment(first, 201, {}, idempotency_key)
    assert.equal((await installation.pay(key, { amount: 100 }, { idempotency_key })).text, first.text)
  }
  for (const idempotency_key of ['1234567', 'x'.repeat(256)]) {
    const refused = await installation.pay(key, { amount: 100 }, { idempotency_key })
    checkRefusal(refused, 400, 'idempotency_key_required', idempotency_key)
  }
})

test('a refused request leaves its key free for the corrected one', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const taken = { amount: 100, merchant_reference: randomUUID() }
  checkPayment(await installation.pay(key, taken), 201)
  const { sql } = installation.db
  await sql`update merchants set collection_amount_max = 1000 where merchant_id = ${merchant_id}`
  const refusals: [body: unknown, status: number, code: string][] = [
    [{ amount: '100' }, 422, 'invalid_amount'],
    [{ amount: 100, currency: 'EUR' }, 422, 'invalid_currency'],
    [[], 400, 'invalid_body'],
    [taken, 409, 'duplicate_reference'],
    [{ amount: 3_000_000 }, 422, 'amount_above_limit'],
  ]
  for (const [body, status, code] of refusals) {
    const idempotency_key = randomUUID()
    for (let time = 1; time <= 2; time += 1) {
      checkRefusal(await installation.pay(key, body, { idempotency_key }), status, code)
    }
    checkPayment(await installation.pay(key, { amount: 100 }, { idempotency_key }), 201, {}, code)
  }
})

test('a request that failed leaves its key free, and succeeds when repeated', async () => {
  const { key } = await installation.newMerchant()
  const { sql } = installation.db
  const asked = payment(key, { amount: 100 })
  // The last thing that is written: all that was done before it must be undone.
  await sql`alter table idempotency_keys rename to idempotency_keys_away`
  try {
    checkRefusal(await installation.ask(asked), 500, 'payment_creation_failed')
  } finally {
    await sql`alter table idempotency_keys_away rename to idempotency_keys`
  }
  const done = await installation.ask(asked)
  checkPayment(done, 201)
  assert.equal((await installation.ask(asked, 1)).text, done.text)
})

test('a hundred concurrent identical calls with one key to each of two processes make one payment, twenty times over', async () => {
  const rounds = 20
  const racer = await installation.newMerchant()
  const seen = { 201: 0, 409: 0 }
  for (let round = 1; round <= rounds; round += 1) {
    const asked = payment(racer.key, { amount: 100, merchant_reference: `round ${round}` })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => installation.ask(asked, at % 2)))
    const texts = new Set<string>()
    for (const answer of answers) texts.add(checkRaced(answer, seen))
    texts.delete('')
    assert.equal(texts.size, 1, 'at least one success, and all successes are the same bytes')
    assert.equal((await installation.ask(asked)).text, [...texts][0], 'and so is a replay')
    assert.equal(await paymentsOf(racer), round)
  }
  assert.ok(seen[201] >= rounds)
})

/** The text of a success; empty for one that was told to wait. */
function checkRaced(answer: Answer, seen: { 201: number; 409: number }): string {
  if (answer.status === 201) {
    seen[201] += 1
    checkPayment(answer, 201, { status: 'created' })
    return answer.text
  }
  checkRefusal(answer, 409, 'idempotency_in_progress')
  seen[409] += 1
  return ''
}

test('concurrent different bodies with one key make one payment, and the others are told that the key is in use', async () => {
  const racer = await installation.newMerchant()
  const idempotency_key = randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      installation.ask(payment(racer.key, { amount: 100 + at }, { idempotency_key }), at % 2),
    ),
  )
  const created = answers.filter(({ status }) => status === 201)
  assert.equal(created.length, 1)
  checkPayment(created[0]!, 201)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assert.ok(['idempotency_in_progress', 'idempotency_key_reused'].includes(String(codeOf(answer))), answer.text)
  }
  assert.equal(await paymentsOf(racer), 1)
})
