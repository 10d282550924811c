import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { idFrom } from '../../src/values/ids.ts'
import { stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode, mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// Fees on the desk: the cost of new ones, and setting them.

let installation: Installation
let merchant: Merchant
let finance: Member
let support: Member
let path: string

before(async () => {
  installation = await openInstallation({ own: 'writes rows past the service' })
  merchant = await installation.newMerchant()
  finance = await openMember(installation, 'Ama Koné', { staff: ['finance'] })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  path = `/desk/${mode}/merchants/${merchant.merchant_id}/fees`
})
after(() => installation[Symbol.asyncDispose]())

const blank = { service: 'collection', percent: '0', fixed: '', minimum: '', maximum: '', bearer: 'merchant', from: '' }
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ').replaceAll(/<[^>]*>/g, '')
const schedules = () => installation.db.sql<{ basis_points: number; fixed: number; bearer: string }[]>`
  select basis_points, fixed, bearer from fee_schedules where merchant_id = ${merchant.merchant_id} order by effective_from`

/** Lists operations as the worker does, made in the middle of a month: 1 for the last whole one, 2 for the one before. */
async function listOperations(ago: number, amount: number, more: Record<string, unknown> = {}): Promise<void> {
  const now = createClock().now()
  const at = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 15)
  const { sql } = installation.db
  const row = {
    ...{ merchant_id: merchant.merchant_id, livemode, kind: 'payment', id: idFrom('txn', at, randomBytes(10)) },
    ...{ version: 1, status: 'succeeded', amount, ...more },
  }
  await sql`
    insert into listed_operations (merchant_id, livemode, kind, id, version, status, amount)
    values (${row.merchant_id}, ${row.livemode}, ${row.kind}, ${row.id}, ${row.version}, ${row.status}, ${row.amount})`
}

test('before a fee is confirmed, the page shows the last whole month under it and under the current fees', async () => {
  const of = ['--merchant', String(merchant.merchant_id), '--service']
  await installation.bandama('fees', 'set', ...of, 'collection', '--bps', '200')
  await installation.bandama('fees', 'set', ...of, 'payout', '--bps', '100')
  for (const amount of [10_000, 10_000, 1_010, 500_000]) await listOperations(1, amount)
  await listOperations(1, 5_000, { status: 'refunded' })
  // None of these has a fee in that month: they failed, are older, of this month, of the other mode, or a payout.
  await listOperations(1, 7_000, { status: 'failed' })
  await listOperations(2, 7_000)
  await listOperations(0, 7_000)
  await listOperations(1, 7_000, { livemode: !livemode })
  await listOperations(1, 30_000, { kind: 'payout' })

  const { text } = await finance.post(path, { ...blank, percent: '1,5', fixed: '25', maximum: '2 000' }, path)
  const shown = plain(text)
  assert.match(shown, /1,5 % \+ 25 F CFA, au plus 2 000 F CFA, à sa charge/)
  assert.match(shown, /Opérations réussies en [^<]* : 5, 526 010 F CFA/)
  // 200 + 200 + 20 + 10 000 + 100, and 175 + 175 + 40 + 2 000 + 100.
  assert.match(shown, /Frais en vigueur10 520 F CFA/)
  assert.match(shown, /Nouveaux frais2 490 F CFA/)
  assert.match(shown, /Différence−8 030 F CFA/)
  // The fee of a payout is on top, even if it exceeds the payout.
  const payout = plain((await finance.post(path, { ...blank, service: 'payout', fixed: '40000' }, path)).text)
  assert.match(payout, / : 1, 30 000 F CFA/)
  assert.match(payout, /Frais en vigueur300 F CFA/)
  assert.match(payout, /Nouveaux frais40 000 F CFA/)
  assert.equal((await schedules()).length, 2)
})

test('finance sets a fee with a fresh factor, and the audit log has it with the proof', async () => {
  const { merchant_id } = merchant
  const fields = { ...blank, percent: '1,75', fixed: '25', bearer: 'payer', from: '2099-03-01' }
  assert.equal((await support.post(path, fields, path)).status, 403)
  assert.match((await support.get(path)).text, /La finance change les frais/)
  const { done } = await finance.confirm(path, fields, path)
  assert.equal(done.location, `${path}?done=saved`)
  assert.deepEqual((await schedules()).at(-1), { basis_points: 175, fixed: 25, bearer: 'payer' })
  const { text } = await finance.get(path)
  assert.match(plain(text), /1 mars, 00:00/)
  const [line] = await installation.db.sql<{ actor: string; door: string; step_up_id: string | null }[]>`
    select actor, door, step_up_id from audit_log where merchant_id = ${merchant_id} and act = 'fees.set' order by at desc limit 1`
  assert.deepEqual([line!.actor, line!.door, line!.step_up_id !== null], [finance.email, 'console', true])
  // The same moment again is refused, and the typed text stays.
  const again = await finance.post(path, fields, path)
  assert.equal(again.status, 422)
  assert.match(again.text, /Des frais commencent déjà à ce moment/)
  assert.match(again.text, /value="1,75"/)
})

test('a proof for one fee sets no other', async () => {
  const count = (await schedules()).length
  const question = await finance.post(path, { ...blank, percent: '1', from: '2098-01-01' }, path)
  const step_up_id = stepUpIn(question)
  const answer = { step_up_id, secret_code: await finance.code() }
  const other = await finance.post(path, { ...blank, percent: '9', from: '2098-01-01', ...answer }, path)
  assert.match(other.text, /La demande a changé/)
  assert.equal((await schedules()).length, count)
})

test('an impossible fee is refused at its field, and the typed text stays', async () => {
  for (const [fields, words] of [
    [{ percent: '101' }, /Écrivez un pourcentage/],
    [{ percent: '1,755' }, /Écrivez un pourcentage/],
    [{ percent: '' }, /Écrivez un pourcentage/],
    [{ fixed: '-5' }, /Écrivez une somme/],
    [{ minimum: '500', maximum: '100' }, /«\s?Au plus\s?» ne peut pas être inférieur à «\s?Au moins\s?»/],
    [{ from: '2027-02-30' }, /Choisissez un jour/],
    [{ from: '2020-01-01' }, /Choisissez un jour à venir/],
  ] as const) {
    const refused = await finance.post(path, { ...blank, ...fields, fixed: '77', ...fields }, path)
    assert.equal(refused.status, 422, JSON.stringify(fields))
    assert.match(refused.text, words)
    if (!('fixed' in fields)) assert.match(refused.text, /value="77"/)
  }
  assert.equal((await finance.get(`/desk/${mode}/merchants/999999/fees`)).status, 404)
})
