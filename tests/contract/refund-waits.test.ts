import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readRefundWait } from '../../src/refunds/store.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'
import { newCollector } from './collector.ts'
import { AMA, openRefundDesk } from './refund-desk.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'breaks rows' })
})
after(() => installation[Symbol.asyncDispose]())

test('a refund unsent for an hour waits for a person, and a new one does not', async () => {
  const { sql } = installation.db
  const desk = openRefundDesk(installation)
  const merchant = await newCollector(installation)
  const scope = { scope: 'merchant', merchant_id: merchant.tenant.merchant_id } as const
  await stopPayouts(sql, scope, actor(AMA))
  const { id } = await desk.made((await merchant.collect(1_000)).id)
  const waiting = async () =>
    ((await installation.bandama('refund', 'list')).refunds as { id: string }[]).map((one) => one.id)
  assert.deepEqual(await waiting(), [])
  assert.equal(await readRefundWait(sql), 0)
  await sql.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`update refunds set created_at = clock_now() - interval '61 minutes' where id = ${id}`
  })
  assert.deepEqual(await waiting(), [id])
  assert.ok((await readRefundWait(sql)) > 3_600)
  await resumeByTwo(sql, scope)
  await desk.until(id, 'succeeded')
  assert.deepEqual(await waiting(), [])
})
