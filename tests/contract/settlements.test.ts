import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode, otherMode } from '../harness/mode.ts'
import { checkRefusal } from './answers.ts'
import { IBAN } from './book.ts'
import { refused } from './commands.ts'
import { listenFor } from './events.ts'
import { newNumber, newSender } from './sender.ts'
import { checkSettlement, checkSettlementShape, newSettler, type Settlement, type Settler } from './settler.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
  installation.services.push(await installation.start({ args: ['--only', 'api'] }))
})
after(() => installation[Symbol.asyncDispose]())

const settlement = (...words: string[]) => installation.bandama('settlement', ...words)

test('requested, validated, paid: the answer, the money, the list and the signed events agree at each step', async () => {
  const settler = await newSettler(installation)
  await using told = await listenFor(installation, settler)
  const asked = checkSettlement(await settler.request(40_000), 202, {
    amount: 40_000,
    status: 'pending_validation',
    livemode,
    beneficiary: {
      id: settler.destination,
      name: 'Boutique',
      account_type: 'bank_account',
      operator: null,
      last4: '0589',
    },
  })
  const { id } = asked
  assert.deepEqual(checkSettlement(await settler.read(id), 200), asked)
  const taken = { available: 60_000, settlements_in_flight: 40_000, transfer: 0, payouts_in_flight: 0 }
  assert.deepEqual(await settler.balances(), taken)

  const validated = await settlement('validate', '--id', id, '--as', 'awa@example.com')
  assert.deepEqual([validated.status, validated.validated_by], ['validated', 'awa@example.com'])
  const waiting = checkSettlement(await settler.read(id), 200, { status: 'validated' })
  assert.deepEqual(await settler.balances(), taken)

  const paid = await settlement('pay', '--id', id, '--as', 'issa@example.com', '--bank-reference', ' VIR  2026/0042 ')
  assert.deepEqual([paid.status, paid.bank_reference, paid.paid_by], ['paid', 'VIR 2026/0042', 'issa@example.com'])
  const done = checkSettlement(await settler.read(id), 200, { status: 'paid', bank_reference: 'VIR 2026/0042' })
  assert.deepEqual({ ...done, status: 'pending_validation', ...undone }, asked)
  assert.deepEqual(await settler.balances(), { ...taken, settlements_in_flight: 0 })

  const events = await told.until(id, ['settlement.validated', 'settlement.paid'])
  assert.deepEqual(
    events.map(({ data }) => data),
    [waiting, done],
  )
  assert.deepEqual((await listOf(settler)).data, [done])
})

const undone = { validated_at: null, paid_at: null, bank_reference: null, rejected_at: null, rejection_reason: null }

for (const from of ['pending_validation', 'validated'] as const) {
  test(`rejected while ${from}: the amount is available again, and the merchant is told why`, async () => {
    const settler = await newSettler(installation)
    await using told = await listenFor(installation, settler)
    const { id } = checkSettlement(await settler.request(100_000), 202)
    if (from === 'validated') await settlement('validate', '--id', id, '--as', 'awa@example.com')
    // The validator may reject as well, because no money leaves.
    const reason = 'Compte clôturé — voir le courrier du 3'
    await settlement('reject', '--id', id, '--as', 'awa@example.com', '--reason', reason)
    const rejected = checkSettlement(await settler.read(id), 200, { status: 'rejected', rejection_reason: reason })
    const { available, settlements_in_flight } = await settler.balances()
    assert.deepEqual([available, settlements_in_flight], [100_000, 0])
    const validated = from === 'validated' ? ['settlement.validated'] : []
    const events = await told.until(id, [...validated, 'settlement.rejected'])
    assert.deepEqual(events.at(-1)!.data, rejected)
    // The same money can be requested again.
    checkSettlement(await settler.request(100_000), 202)
  })
}

test('exactly the floor and exactly the rest are accepted, and the request cannot set other fields', async () => {
  const settler = await newSettler(installation, { available: 10_000 })
  const theirs = { id: 'stl_1', status: 'paid', merchant_id: 1, livemode: true, currency: 'EUR', bank_reference: 'x' }
  const body = { ...theirs, amount: 5_000, beneficiary: settler.destination.toUpperCase() }
  const first = checkSettlement(await settler.request(5_000, { body }), 202, {
    status: 'pending_validation',
    currency: 'XOF',
    livemode,
  })
  assert.equal(first.beneficiary.id, settler.destination)
  checkSettlement(await settler.request(5_000), 202)
  checkRefusal(await settler.request(5_000), 422, 'montant_non_eligible')
  const { available, settlements_in_flight } = await settler.balances()
  assert.deepEqual([available, settlements_in_flight], [0, 10_000])
})

test('a merchant’s own floor applies to it in one mode, above or below the service’s', async () => {
  const settler = await newSettler(installation)
  const neighbour = await newSettler(installation)
  assert.deepEqual(await installation.bandama('settlement', 'set-minimum', ...settler.words, '--amount', '100'), {
    minimum: 100,
  })
  checkSettlement(await settler.request(100), 202)
  assert.match(checkRefusal(await settler.request(99), 422, 'sous_le_plancher'), /\b100 francs/)
  assert.match(checkRefusal(await neighbour.request(4_999), 422, 'sous_le_plancher'), /\b5000 francs/)
  await refused(
    installation.bandama('settlement', 'set-minimum', '--merchant', '999999', '--mode', mode, '--amount', '1'),
    /no merchant/,
  )
})

test('payouts and settlements use two different balances', async () => {
  const settler = await newSettler(installation, { available: 10_000 })
  const sender = await newSender(installation, { of: settler.merchant, funds: 50_000 })
  checkRefusal(await settler.request(10_001), 422, 'montant_non_eligible')
  checkSettlement(await settler.request(10_000), 202)
  assert.equal((await sender.balances()).transfer, 50_000)
})

test('a settlement keeps its destination, also if the book’s entry changes', async () => {
  const settler = await newSettler(installation)
  const msisdn = newNumber()
  const wallet = await settler.newWallet(msisdn)
  await settler.designate(wallet, '2026-02-01T00:00:00.000Z')
  const body = { amount: 5_000, beneficiary: wallet }
  const asked = checkSettlement(await settler.request(0, { body }), 202)
  const kept = { id: wallet, name: 'Caisse', account_type: 'wallet', operator: 'wave_ci', last4: msisdn.slice(-4) }
  assert.deepEqual(asked.beneficiary, kept)
  assert.equal((await settlement('show', '--id', asked.id)).destination_today, 'designated')
  await settler.designate(settler.destination, '2026-02-01T00:00:00.000Z')
  assert.equal((await settlement('show', '--id', asked.id)).destination_today, 'no_longer_designated')
  await installation.bandama('beneficiary', 'archive', '--id', wallet)
  checkRefusal(await settler.request(0, { body }), 404, 'destination_introuvable')

  const shown = await settlement('show', '--id', asked.id)
  assert.deepEqual([shown.destination_today, shown.designated_at], ['archived', '2026-02-01T00:00:00.000Z'])
  assert.ok(!JSON.stringify(shown).includes(msisdn))
  await refused(settlement('show', '--id', asked.id, '--account'), /only while a settlement is validated/)
  await settlement('validate', '--id', asked.id, '--as', 'awa@example.com')
  assert.equal((await settlement('show', '--id', asked.id, '--account')).account, `+225${msisdn}`)
  await settlement('pay', '--id', asked.id, '--as', 'issa@example.com', '--bank-reference', 'W-1')
  checkSettlement(await settler.read(asked.id), 200, { status: 'paid', beneficiary: kept })
  await refused(settlement('show', '--id', asked.id, '--account'), /only while a settlement is validated/)
})

test('no answer, event, log line or refusal has a whole account', async () => {
  const rows = await installation.db.sql<{ line: string }[]>`
    select body as line from events union all select row_to_json(r)::text from request_log r`
  const logs = installation.services.map((service) => service.output())
  const everything = [...rows.map(({ line }) => line), ...logs].join('\n')
  assert.ok(everything.includes('settlement.paid') && !everything.includes(IBAN.slice(4)))
})

type List = { object: string; data: Settlement[]; total_count: number; total: number; has_more: boolean }

async function listOf(settler: Settler): Promise<List> {
  const answer = await settler.list()
  assert.equal(answer.status, 200, answer.text)
  const list = answer.json() as List & { limit: number; offset: number }
  assert.deepEqual(Object.keys(list), ['object', 'data', 'total_count', 'total', 'limit', 'offset', 'has_more'])
  assert.deepEqual([list.object, list.total, list.limit, list.offset], ['list', list.total_count, 50, 0])
  for (const one of list.data) checkSettlementShape(one)
  return list
}

test('the list has the fifty newest settlements of this merchant in this mode, newest first', async () => {
  const settler = await newSettler(installation, { available: 1_000_000 })
  const live = await newSettler(installation, { mode: otherMode, of: settler.merchant })
  assert.deepEqual((await listOf(settler)).data, [])
  const made: Settlement[] = []
  for (let at = 0; at < 52; at += 1) made.push(checkSettlement(await settler.request(5_000 + at), 202))
  // By their own time: two within a few milliseconds may have the reverse order.
  const newest = made.toSorted((a, b) =>
    a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? 1 : -1,
  )
  const ids = newest.map(({ id }) => id)
  const list = await listOf(settler)
  assert.deepEqual(
    list.data.map(({ id }) => id),
    ids.slice(0, 50),
  )
  assert.deepEqual([list.total_count, list.has_more], [52, true])
  // There are no other pages: a request for one gets this list.
  const paged = await installation.ask({ path: '/v1-settlements?limit=1&offset=7&active=x', key: settler.key })
  assert.deepEqual((paged.json() as List).data, list.data)
  for (const other of [live, await newSettler(installation)]) {
    const { data, total_count, has_more } = await listOf(other)
    assert.deepEqual([data, total_count, has_more], [[], 0, false])
  }
  // Any key of the merchant can read.
  const collecting = await installation.ask({ path: `/v1-settlements/${ids[0]}`, key: settler.merchant.key })
  checkSettlement(collecting, 200, { id: ids[0]! })
})

test('a replay is the first answer byte for byte, in every later state of the settlement, the merchant or the balance', async () => {
  const settler = await newSettler(installation, { available: 5_000 })
  const idempotency_key = randomUUID()
  const first = await settler.request(5_000, { idempotency_key })
  const { id } = checkSettlement(first, 202)
  await settlement('validate', '--id', id, '--as', 'awa@example.com')
  await settlement('pay', '--id', id, '--as', 'issa@example.com', '--bank-reference', 'R-1')
  await installation.bandama('beneficiary', 'archive', '--id', settler.destination)
  await installation.bandama('merchant', 'deactivate', '--merchant', String(settler.tenant.merchant_id))
  for (const process of [0, 1]) {
    const replay = await settler.request(5_000, { idempotency_key }, process)
    assert.deepEqual([replay.status, replay.text], [202, first.text])
  }
  assert.equal((await listOf(settler)).total_count, 1)
})

test('a refused request does not use its key up, and a race of two processes with one key makes one settlement', async () => {
  const settler = await newSettler(installation, { available: 20_000 })
  const idempotency_key = randomUUID()
  checkRefusal(await settler.request(4_000, { idempotency_key }), 422, 'sous_le_plancher')
  checkRefusal(await settler.request(20_001, { idempotency_key }), 422, 'montant_non_eligible')
  const answers = await Promise.all(
    Array.from({ length: 44 }, (_, at) => settler.request(20_000, { idempotency_key }, at % 2)),
  )
  const accepted = answers.filter(({ status }) => status === 202)
  assert.ok(accepted.length >= 1)
  assert.equal(new Set(accepted.map(({ text }) => text)).size, 1)
  for (const answer of answers) if (answer.status !== 202) checkRefusal(answer, 409, 'idempotency_in_progress')
  assert.deepEqual((await listOf(settler)).total_count, 1)
  checkRefusal(await settler.request(19_999, { idempotency_key }), 409, 'idempotency_key_reused')
})
