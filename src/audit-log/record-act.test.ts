import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { EVERY_ACT, readActs } from './find-acts.ts'
import { recordAct } from './record-act.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

test('a line records the door and the IP address of an act, and the step-up of its person', async () => {
  const ama = { person: 'ama@example.com', door: 'console', from: '2001:db8::7', step_up_id: 'stp_1' } as const
  await db.sql.begin(async (tx) => recordAct(tx, { merchant_id: 1, livemode: true }, { actor: ama, act: 'caps.set' }))
  const { acts } = await readActs(db.sql, { ...EVERY_ACT, merchant_id: 1 }, { after: null, limit: 1 })
  const line = acts[0]
  assert.deepEqual(
    [line!.actor, line!.door, line!.from_address, line!.step_up_id],
    ['ama@example.com', 'console', '2001:db8::7', 'stp_1'],
  )
})

test('pages of the audit log have every line once, also lines of one millisecond', async () => {
  const key = { merchant_id: 2, livemode: true }
  const actor = { person: 'ama@example.com', door: 'console', from: null, step_up_id: null } as const
  // One transaction: the lines have one time, to the microsecond.
  await db.sql.begin(async (tx) => {
    for (let n = 0; n < 7; n += 1) recordAct(tx, key, { actor, act: 'case.take', subject: `s${n}` })
  })
  await db.sql.begin(async (tx) => recordAct(tx, key, { actor, act: 'case.give_back', subject: 's7' }))
  const subjects: (string | null)[] = []
  let after: string | null = null
  do {
    const page = await readActs(db.sql, { ...EVERY_ACT, merchant_id: 2 }, { after, limit: 3 })
    subjects.push(...page.acts.map(({ subject }) => subject))
    after = page.after
  } while (after !== null)
  assert.equal(subjects[0], 's7', 'the newest is first')
  assert.deepEqual(subjects.toSorted(), ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'])
})
