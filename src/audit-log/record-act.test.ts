import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { readActs } from './find-acts.ts'
import { recordAct } from './record-act.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

test('a line records the door and the IP address of an act, and the step-up of its person', async () => {
  const ama = { person: 'ama@example.com', door: 'console', from: '2001:db8::7', step_up_id: 'stp_1' } as const
  await db.sql.begin(async (tx) => recordAct(tx, { merchant_id: 1, livemode: true }, { actor: ama, act: 'caps.set' }))
  const [line] = await readActs(db.sql, { merchant_id: 1, livemode: null }, 1)
  assert.deepEqual(
    [line!.actor, line!.door, line!.from_address, line!.step_up_id],
    ['ama@example.com', 'console', '2001:db8::7', 'stp_1'],
  )
})
