import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { depositToTransfer, moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'

// A bank's transfer is booked once, however often it is entered.

let installation: Installation
let merchant: Collector
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  merchant = await newCollector(installation)
})
after(() => installation[Symbol.asyncDispose]())

const transfer = async () => (await merchant.balances()).transfer
const deposit = (amount: number, reference: string, of = merchant) =>
  installation.bandama('deposit', ...of.words, '--amount', String(amount), '--reference', reference, '--as', 'Ama')

test('the same reference again is the same deposit, however it is written', async () => {
  const first = await deposit(300_000, 'VIR-2026-0042')
  assert.deepEqual([first.repeated, first.transfer], [false, 300_000])
  for (const written of [
    'VIR-2026-0042',
    ' vir-2026 -0042',
    'VIR-2026-0042\u034f',
    '\u3164VIR-2026-0042\ufe0f',
    'ＶＩＲ-2026-0042',
  ]) {
    assert.deepEqual(await deposit(300_000, written), { ...first, repeated: true }, JSON.stringify(written))
  }
  assert.equal(await transfer(), 300_000)
  const lines = await installation.db.sql<{ actor: string; subject: string }[]>`
    select actor, subject from audit_log where act = 'balance.deposit' and merchant_id = ${merchant.tenant.merchant_id}`
  assert.deepEqual(
    lines.map(({ actor, subject }) => [actor, subject]),
    [['ama', first.deposit_id]],
  )
})

test('the same reference with another amount is refused and says what was booked', async () => {
  const before = await transfer()
  await refused(deposit(300_001, 'VIR-2026-0042'), /was booked at .* as dep_\w+, with 300000 francs/)
  assert.equal(await transfer(), before)
})

test('a reference is of one merchant in one mode', async () => {
  const other = await newCollector(installation)
  assert.equal((await deposit(5, 'VIR-2026-0042', other)).repeated, false)
  const live = ['--merchant', String(merchant.tenant.merchant_id), '--mode', otherMode]
  const words = [...live, '--amount', '5', '--reference', 'VIR-2026-0042']
  assert.equal((await installation.bandama('deposit', ...words)).repeated, false)
})

test('without a reference each command makes another deposit, and an invalid reference is refused', async () => {
  const before = await transfer()
  for (const _ of [1, 2]) await installation.bandama('deposit', ...merchant.words, '--amount', '10')
  assert.equal(await transfer(), before + 20)
  await refused(deposit(10, ' \u034f '), /--reference has 1 to 140 printable characters/, 2)
  await refused(deposit(10, 'x'.repeat(141)), /--reference has 1 to 140 printable characters/, 2)
})

test('of concurrent deposits with one reference one is booked', async () => {
  const { sql } = installation.db
  const before = await transfer()
  const order = { by: actor('ama'), reference: 'VIR-AT-ONCE' }
  const filled = await Promise.all(
    Array.from({ length: 20 }, () => depositToTransfer(sql, merchant.tenant, 1_000, createClock(), order)),
  )
  assert.equal(filled.filter(({ kind }) => kind === 'booked').length, 1)
  assert.equal(filled.filter(({ kind }) => kind === 'repeated').length, 19)
  assert.equal(await transfer(), before + 1_000)
})

test('a transfer of the same key is made once', async () => {
  await merchant.collect(10_000, { simulate: true })
  const before = await merchant.balances()
  const move = (amount: number) =>
    installation.bandama('transfer', ...merchant.words, '--amount', String(amount), '--key', 'november')
  const first = await move(4_000)
  assert.deepEqual(await move(4_000), { ...first, repeated: true })
  await refused(move(4_001), /was booked at .* as mov_\w+, with 4000 francs/)
  const order = { by: actor('ama'), reference: 'december' }
  const filled = await Promise.all(
    Array.from({ length: 10 }, () => moveToTransfer(installation.db.sql, merchant.tenant, 1_000, createClock(), order)),
  )
  assert.equal(filled.filter(({ kind }) => kind === 'booked').length, 1)
  const { available, transfer: now } = await merchant.balances()
  assert.deepEqual([available, now], [before.available - 5_000, before.transfer + 5_000])
})

test('a deposit with a reference is never changed, and the audit compares it with the ledger', async () => {
  const { sql } = installation.db
  await assert.rejects(sql`update transfer_fillings set amount = 1`, /append-only/)
  await assert.rejects(sql`delete from transfer_fillings`, /append-only/)
  assert.equal((await installation.bandama('audit')).ok, true)
  const { merchant_id } = merchant.tenant
  await sql`
    insert into transfer_fillings (merchant_id, livemode, id, operation, reference, amount)
    values (${merchant_id}, false, 'dep_never', 'deposit', 'never booked', 1)`
  await assert.rejects(installation.bandama('audit'), (error: { stderr: string; stdout: string }) =>
    `${error.stdout}${error.stderr}`.includes('dep_never'),
  )
})
