import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { untilWaiting } from '../../tests/harness/hold.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { perform } from '../../tests/harness/perform.ts'
import { readBatch } from '../payout-batches/store.ts'
import { createClock } from '../platform/clock.ts'
import { readConfig } from '../platform/config.ts'
import { SYSTEM } from '../values/actor.ts'
import { draftFailedLines } from './draft-failed-lines.ts'
import { DRAFTS_MAX, deleteOpenDraft, keepDraft, type Replaced } from './keep-draft.ts'
import { makeBatch } from './make-batch.ts'
import { mendDraft } from './mend-draft.ts'
import { lockDraft, readDraft, readFormerFile, updateLines } from './store.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const file = { name: 'a.csv', bytes: Buffer.from('nom;numero;montant\nAwa;0700000001;5\n') }

async function newTenant() {
  const { merchant_id } = await newMerchant(db.sql)
  return { merchant_id, livemode: false }
}

async function keep(tenant: { merchant_id: number; livemode: boolean }, replaces: Replaced | null = null) {
  const kept = await keepDraft({ sql: db.sql, clock: createClock() }, tenant, { name: '', file, replaces }, SYSTEM)
  assert.ok(kept.kind === 'kept', JSON.stringify(kept))
  return kept.draft_id
}

test('the database accepts one batch for a draft, of the version that its maker saw, and then no change of the draft', async () => {
  const tenant = await newTenant()
  const { merchant_id, livemode } = tenant
  const draft_id = await keep(tenant)
  const make = (batch_id: string, version: number) =>
    db.sql.begin(async (tx) => {
      await tx`
        insert into payout_batches (merchant_id, livemode, id, status, currency, total_amount, line_count, cap_day, made_by)
        values (${merchant_id}, ${livemode}, ${batch_id}, 'brouillon', 'XOF', 5, 1, 500000, 'awa@example.ci')`
      await tx`
        insert into drafted_batches (merchant_id, livemode, draft_id, version, batch_id)
        values (${merchant_id}, ${livemode}, ${draft_id}, ${version}, ${batch_id})`
    })
  await assert.rejects(make('pob_1', 2), /drafted_batches_draft/)
  await make('pob_1', 1)
  await assert.rejects(make('pob_2', 1), /drafted_batches_pkey/)
  await assert.rejects(
    db.sql`update batch_drafts set version = version + 1 where id = ${draft_id}`,
    /drafted_batches_draft/,
  )
  await assert.rejects(db.sql`delete from batch_drafts where id = ${draft_id}`, /drafted_batches_draft/)
})

test('a file that is sent again replaces its draft, and the number of a merchant’s drafts is limited', async () => {
  const tenant = await newTenant()
  let last = await keep(tenant)
  for (let nth = 1; nth < DRAFTS_MAX; nth += 1) last = await keep(tenant)
  const more = { name: '', file, replaces: null }
  const refused = await keepDraft({ sql: db.sql, clock: createClock() }, tenant, more, SYSTEM)
  assert.deepEqual(refused, { kind: 'refused', refusal: { code: 'too_many_drafts' } })
  await keep(tenant, { draft_id: last, version: 1 })
  assert.equal((await db.sql`select id from batch_drafts where id = ${last}`).length, 0)
})

test('a person who has not seen the newest version of a draft can neither correct, nor delete, nor replace it', async () => {
  const tenant = await newTenant()
  const draft_id = await keep(tenant)
  const amounts = async () => (await readDraft(db.sql, { ...tenant, draft_id }))!.lines.map(({ cells }) => cells.amount)
  const mend = (version: number, amount: string) =>
    mendDraft(db.sql, { ...tenant, draft_id, version }, { cells: new Map([[2, { amount }]]), dropped: new Set() })
  const both = await Promise.all([mend(1, '7'), mend(1, '8')])
  assert.deepEqual(both.map(({ kind }) => kind).toSorted(), ['mended', 'refused'])
  const [kept] = await amounts()
  assert.equal(kept, both[0]!.kind === 'mended' ? '7' : '8')
  assert.equal(await deleteOpenDraft(db.sql, { ...tenant, draft_id, version: 1 }), false)
  const beside = await keepDraft(
    { sql: db.sql, clock: createClock() },
    tenant,
    { name: '', file, replaces: { draft_id, version: 1 } },
    SYSTEM,
  )
  assert.ok(beside.kind === 'kept' && beside.beside)
  assert.deepEqual(await amounts(), [kept])
  assert.equal(await deleteOpenDraft(db.sql, { ...tenant, draft_id, version: 2 }), true)
})

test('a draft that somebody corrects while its batch is being made does not become a batch', async () => {
  const tenant = await newTenant()
  const draft_id = await keep(tenant)
  const deps = { sql: db.sql, clock: createClock(), payoutCaps: readConfig({}), order_key: Buffer.alloc(32) }
  const call = { id: draft_id, within: tenant, values: { version: 1, repeated: '' } }
  const making = await db.sql.begin(async (tx) => {
    const draft = (await lockDraft(tx, { ...tenant, draft_id }))!
    const made = perform(makeBatch, deps, call)
    await untilWaiting(db.sql, { statement: 'batch_drafts' })
    await updateLines(tx, { ...tenant, draft_id }, draft.lines)
    return { made }
  })
  assert.deepEqual(await making.made, { kind: 'refused', code: 'changed' })
  assert.equal((await readDraft(db.sql, { ...tenant, draft_id }))!.batch_id, null)

  const again = { ...call, values: { version: 2, repeated: '' } }
  const first = await perform(makeBatch, deps, again)
  assert.ok(first.kind === 'done')
  assert.deepEqual(await perform(makeBatch, deps, again), first)
})

test('a draft knows that its file became a batch by another draft, whichever of the two came first', async () => {
  const tenant = await newTenant()
  const { merchant_id, livemode } = tenant
  const [first, second] = [await keep(tenant), await keep(tenant)]
  const formerOf = async (draft_id: string) => {
    const former = await readFormerFile(db.sql, (await readDraft(db.sql, { ...tenant, draft_id }))!)
    return former && [former.draft_id, former.batch_id]
  }
  assert.deepEqual([await formerOf(first), await formerOf(second)], [null, [first, null]])
  await db.sql.begin(async (tx) => {
    await tx`
      insert into payout_batches (merchant_id, livemode, id, status, currency, total_amount, line_count, cap_day, made_by)
      values (${merchant_id}, ${livemode}, 'pob_second', 'brouillon', 'XOF', 5, 1, 500000, 'awa@example.ci')`
    await tx`
      insert into drafted_batches (merchant_id, livemode, draft_id, version, batch_id)
      values (${merchant_id}, ${livemode}, ${second}, 1, 'pob_second')`
  })
  assert.deepEqual(
    [await formerOf(first), await formerOf(second)],
    [
      [second, 'pob_second'],
      [first, null],
    ],
  )
})

test('many simultaneous requests for the failed lines of a batch make one draft', async () => {
  const tenant = await newTenant()
  const { merchant_id, livemode } = tenant
  await db.sql.begin(async (tx) => {
    await tx`
      insert into payout_batches (merchant_id, livemode, id, status, currency, total_amount, line_count, cap_day, made_by, finished_at)
      values (${merchant_id}, ${livemode}, 'pob_failed', 'termine_avec_erreurs', 'XOF', 5, 1, 500000, 'awa@example.ci', clock_now())`
    await tx`
      insert into payout_batch_lines (merchant_id, livemode, batch_id, rank, status, amount, fee_amount, is_inline, name, msisdn)
      values (${merchant_id}, ${livemode}, 'pob_failed', 1, 'failed', 5, 0, true, 'Awa', '+2250700000001')`
  })
  const batch = (await readBatch(db.sql, { ...tenant, batch_id: 'pob_failed' }))!
  const deps = { sql: db.sql, clock: createClock() }
  const taps = Array.from({ length: 6 }, () =>
    draftFailedLines(deps, batch, SYSTEM, { tenant, name: 'Salaires', left_out: new Set() }),
  )
  const drafts = (await Promise.all(taps)).map((made) => made.kind === 'kept' && made.draft_id)
  assert.equal(new Set(drafts).size, 1)
  const rows = await db.sql`select id from batch_drafts where merchant_id = ${merchant_id}`
  assert.equal(rows.length, 1)
})
