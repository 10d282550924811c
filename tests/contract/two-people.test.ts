import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type AnomalyDesk, openAnomalyDesk } from './anomaly-desk.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { payout } from './sender.ts'
import { checkSettlement, newSettler, type Settler } from './settler.ts'

// An invisible character makes neither a second person nor a second bank transfer.

const AMA = 'ama@example.com'
const KOFI = 'kofi@example.com'
/** A grapheme joiner, a variation selector, a Hangul filler: invisible, but no format characters. */
const UNSEEN = ['\u034f', '\ufe0f', '\u3164'] as const
const disguised = UNSEEN.map((unseen) => `${AMA}${unseen}`)

let installation: Installation
let merchant: Collector
let settler: Settler
let desk: AnomalyDesk
before(async () => {
  installation = await openInstallation()
  merchant = await newCollector(installation)
  settler = await newSettler(installation, { available: 100_000 })
  desk = openAnomalyDesk(installation, merchant)
})
after(() => installation[Symbol.asyncDispose]())

const bandama = (...words: string[]) => installation.bandama(...words)

async function validated(): Promise<string> {
  const { id } = checkSettlement(await settler.request(5_000), 202)
  await bandama('settlement', 'validate', '--id', id, '--as', AMA)
  return id
}

test('the validator of a settlement does not pay it', async () => {
  const id = await validated()
  for (const same of disguised) {
    const pay = bandama('settlement', 'pay', '--id', id, '--as', same, '--bank-reference', 'VIR-1')
    await refused(pay, /Two people pay a settlement/)
  }
  assert.equal(
    (await bandama('settlement', 'pay', '--id', id, '--as', KOFI, '--bank-reference', 'VIR-1')).status,
    'paid',
  )
})

test('the maker of a payout key approves none of its requests', async () => {
  const { merchant_id, livemode } = merchant.tenant
  const made = await bandama('key', 'create', ...merchant.words, '--scope', 'payout', '--as', AMA)
  const asked = async (path: string, body: object) => {
    const call = { method: 'POST' as const, path, key: String(made.key), idempotency_key: randomUUID(), body }
    return (await installation.ask(call)).json() as { id: string; status: string }
  }
  const request = await asked('/v1-payouts', payout(100_001))
  const batch = await asked('/v1-payout-batches', { lines: Array.from({ length: 6 }, () => payout(99_000)) })
  assert.deepEqual([request.status, batch.status], ['pending_approval', 'en_attente_validation'])
  for (const as of [AMA, ...disguised]) {
    await refused(bandama('request', 'approve', '--id', request.id, '--as', as), /nor the one who made its key/)
    await refused(bandama('batch', 'approve', '--id', batch.id, '--as', as), /nor the one who made its key/)
  }
  for (const [table, id] of [
    ['payout_requests', request.id],
    ['payout_batches', batch.id],
  ] as const) {
    const update = installation.db.sql.unsafe(
      `update ${table} set decided_by = ' AMA@example.com' where merchant_id = ${merchant_id} and livemode = ${livemode} and id = '${id}'`,
    )
    await assert.rejects(update, (error) => violatedConstraint(error) === `${table}_makers_side`)
  }
  await bandama('deposit', ...merchant.words, '--amount', '200000')
  await bandama('request', 'approve', '--id', request.id, '--as', KOFI)
  await bandama('batch', 'approve', '--id', batch.id, '--as', KOFI)
})

test('one bank transfer pays one settlement', async () => {
  const id = await validated()
  for (const unseen of UNSEEN) {
    for (const reference of [`VIR-1${unseen}`, `${unseen} vir-1`, `V${unseen}IR-1`]) {
      const pay = bandama('settlement', 'pay', '--id', id, '--as', KOFI, '--bank-reference', reference)
      await refused(pay, /already entered for the settlement stl_/)
    }
  }
  const paid = await bandama('settlement', 'pay', '--id', id, '--as', KOFI, '--bank-reference', `VIR-2${UNSEEN[0]}`)
  assert.equal(paid.bank_reference, 'VIR-2')
})

test('the maker of a refund by hand does not close it, and one reference proves one refund', async () => {
  const refund = async () => {
    const { id } = await merchant.collect(1_000, { simulate: true })
    return String((await bandama('refund', 'create', '--payment', id, '--manual', '--as', AMA)).refund_id)
  }
  const [first, second] = [await refund(), await refund()]
  const paid = (id: string, as: string, reference: string) =>
    bandama('refund', 'confirm', '--id', id, '--as', as, '--reference', reference)
  for (const same of disguised) await refused(paid(first, same, 'R-1'), /cannot close it/)
  await paid(first, KOFI, 'R-1')
  for (const unseen of UNSEEN) await refused(paid(second, KOFI, `R-1${unseen}`), /proves another refund/)
})

test('the proposer does not decide on anomalies and adjustments', async () => {
  const { anomaly } = await desk.amountMismatch()
  await desk.propose(anomaly.id, { proposed_by: actor(AMA) })
  const gesture = ['--direction', 'credit', '--amount', '10', '--against', 'fees', '--reason', 'A gesture', '--as', AMA]
  const { adjustment_id } = await bandama('adjustment', 'propose', ...merchant.words, ...gesture)
  for (const same of disguised) {
    await refused(bandama('anomaly', 'approve', '--id', anomaly.id, '--as', same), /proposer cannot decide/)
    await refused(
      bandama('adjustment', 'approve', '--id', String(adjustment_id), '--as', same),
      /proposer cannot decide/,
    )
  }
})

test('an API key disguised by an invisible character cannot decide', async () => {
  await merchant.deposit(1_000_000)
  const { id } = (await merchant.send(payout(150_000))).json() as { id: string }
  for (const unseen of UNSEEN) {
    const key = [`${unseen}key:${merchant.key_id}`, `key${unseen}:${merchant.key_id}`]
    for (const as of key) await refused(bandama('request', 'approve', '--id', id, '--as', as), /cannot decide/)
  }
})

test('the database itself refuses one person for both steps', async () => {
  const { sql } = installation.db
  const [{ id }, other] = [checkSettlement(await settler.request(5_000), 202), await validated()]
  const { made_by } = (await sql<{ made_by: string }[]>`select made_by from settlements where id = ${id}`)[0]!
  const refusedBy = async (statement: PromiseLike<unknown>, constraint: RegExp) =>
    assert.rejects(Promise.resolve(statement), (error) => constraint.test(violatedConstraint(error) ?? ''))
  const { id: request } = (await merchant.send(payout(150_000))).json() as { id: string }
  const lines = Array.from({ length: 6 }, () => payout(99_000))
  const { id: batch } = (await merchant.prepare({ lines })).json() as { id: string }
  const key = `key:${merchant.key_id}`
  for (const unseen of UNSEEN) {
    const pay = (by: string, reference: string) => sql`
      update settlements set status = 'paid', paid_by = ${by}, paid_at = clock_now(), bank_reference = ${reference}
       where id = ${other}`
    await refusedBy(pay(`${AMA}${unseen}`, 'VIR-9'), /^settlements_two_people/)
    await refusedBy(pay(KOFI, `VIR-1${unseen}`), /^settlements_bank_reference_compared$/)
    await refusedBy(
      sql`update settlements set status = 'validated', validated_by = ${`${made_by}${unseen}`}, validated_at = clock_now()
           where id = ${id}`,
      /^settlements_/,
    )
    await refusedBy(
      sql`update payout_requests set status = 'rejected', decided_at = clock_now(), decided_by = ${`${key}${unseen}`}
           where id = ${request}`,
      /^payout_requests_two_people$/,
    )
    await refusedBy(
      sql`update payout_batches set decided_by = ${`${key}${unseen}`} where id = ${batch}`,
      /^payout_batches_two_people$/,
    )
    for (const table of ['adjustments', 'anomaly_proposals']) {
      await refusedBy(
        sql`update ${sql(table)} set status = 'refused', decided_by = proposed_by || ${unseen}, decided_at = clock_now()
             where status = 'proposed'`,
        new RegExp(`^${table}_two_people$`),
      )
    }
    await refusedBy(
      sql`update refunds set status = 'failed', closed_by = requested_by || ${unseen}, concluded_at = clock_now()
           where status = 'manual'`,
      /^refunds_two_people$/,
    )
  }
})
