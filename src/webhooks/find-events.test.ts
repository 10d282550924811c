import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openWebhooks } from '../../tests/harness/webhooks.ts'
import { eventTypes } from './event-types.ts'
import { findEvents } from './find-events.ts'

test('a page of events reads the bodies of its own events only', async () => {
  await using hooks = await openWebhooks()
  const data = {
    id: 'pob_1',
    object: 'payout_batch',
    status: 'termine',
    noise: randomBytes(250_000).toString('base64'),
  }
  const ids = await hooks.emit(40, { type: 'payout_batch.finished', data })
  const wanted = { ...hooks.tenant, types: eventTypes, subject_id: null, before: null, limit: 100 }

  const { found, blocks } = await hooks.sql.begin(async (tx) => {
    const blocksOfBodies = async () => {
      const [row] = await tx<{ count: number }[]>`
        select pg_stat_get_xact_blocks_fetched(reltoastrelid) as count from pg_class where oid = 'events'::regclass`
      return row!.count
    }
    const before = await blocksOfBodies()
    const found = await findEvents(tx, wanted)
    return { found, blocks: (await blocksOfBodies()) - before }
  })
  assert.deepEqual(
    found.events.map(({ id }) => id),
    ids.toReversed().slice(0, 2),
  )
  assert.equal(found.has_more, true)
  // A body of 333 kB fills 42 blocks of 8 kB, and an index leads there.
  assert.ok(blocks > 80 && blocks < 120, `${blocks} blocks were read for two bodies`)
})
