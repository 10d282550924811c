import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { conclusions } from '../../src/app/work.ts'
import { concludeByHand } from '../../src/operators/doubts/conclude-by-hand.ts'
import type { Instruction } from '../../src/operators/instruction.ts'
import type { Connector } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { createBeginSending } from '../../src/operators/sending/begin-sending.ts'
import { SENDS_MAX } from '../../src/operators/sending/decide.ts'
import { repetitionsMax } from '../../src/operators/sending/repetition.ts'
import { withSimulator } from '../../src/operators/simulator/with-simulator.ts'
import { findInstruction } from '../../src/operators/store.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { openTestDatabase } from '../harness/database.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { notFound, openDoubts, promise, type Said } from './doubts.ts'

// An order that may have left is sent again only on evidence. The database itself checks it, without our code.

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { sql } = db
const { inDoubt, hear, dyingWorker } = openDoubts(sql)

/** Records another send of an instruction, like the first one except for the columns in `more`. */
function sendAgain({ subject_id }: Instruction, more: Record<string, string> = {}) {
  const columns = ['reference', 'connector', 'payload_hash', 'again_times', 'again_after_seconds']
  const values = columns.map((column) => more[column] ?? column).join()
  return sql.unsafe(`
    insert into sends (merchant_id, livemode, subject_id, attempt, ${columns.join()})
    select 1, false, subject_id, ${more.attempt ?? 'attempt + 1'}, ${values}
      from sends where subject_id = '${subject_id}' order by attempt desc limit 1`)
}

const none = () => []

/** The constraint by which a statement is refused. */
const refusal = (statement: PromiseLike<unknown>) =>
  Promise.resolve(statement).then(
    () => assert.fail('it was taken'),
    (error: unknown) => violatedConstraint(error),
  )

test('an order is sent again after its operator has said often and late enough that it does not hold it', async () => {
  await sendAgain(await inDoubt(notFound))
})

const refused: [promise: string, said: Said[], more: Record<string, string>, constraint: string][] = [
  ['without an answer of its operator', [], {}, 'sends_once'],
  ['after too few inquiries', notFound.slice(1), {}, 'sends_once'],
  ['when the inquiries came too soon', [...notFound.slice(0, 2), ['not_found', 59]], {}, 'sends_once'],
  [
    'when the answers were those of sends, not of inquiries',
    notFound.map(([what, at]): Said => [what, at, 'send']),
    {},
    'sends_once',
  ],
  ['when its operator answered something else', notFound.map(([, at]): Said => ['unknown', at]), {}, 'sends_once'],
  ['after its operator said that it holds it', [...notFound, ['pending', 70]], {}, 'sends_once'],
  ['after its operator accepted it, whatever it said later', [['accepted', 1, 'send'], ...notFound], {}, 'sends_once'],
  ['after its operator refused it', [...notFound, ['refused', 70]], {}, 'sends_once'],
  ['after two people have ended it', [...notFound, ['refused', 70, 'person']], {}, 'sends_once'],
  ['as another order', notFound, { payload_hash: 'sha256(payload_hash)' }, 'sends_once'],
  [
    'as an unknown order',
    notFound,
    { payload_hash: 'null', again_times: 'null', again_after_seconds: 'null' },
    'sends_once',
  ],
  ['on easier terms', notFound, { again_times: '1::smallint' }, 'sends_once'],
  ['with another reference', notFound, { reference: 'gen_random_uuid()' }, 'sends_follow'],
  ['through another connector', notFound, { connector: `'another'` }, 'sends_follow'],
  ['out of turn', notFound, { attempt: '3' }, 'sends_follow'],
  ['under the number of the first', notFound, { attempt: '1' }, 'sends_pkey'],
]
for (const [why, said, more, constraint] of refused) {
  test(`the database refuses to send an order again ${why}`, async () => {
    assert.equal(await refusal(sendAgain(await inDoubt(said), more)), constraint)
  })
}

test('the database refuses to send an order again if its operator makes no promise about repeated references', async () => {
  const doubt = await inDoubt(notFound, { ...promise, same_reference: 'unknown' })
  assert.equal(await refusal(sendAgain(doubt)), 'sends_once')
  // A promise cannot be added to an order that has left.
  assert.equal(await refusal(sendAgain(doubt, { again_times: '1::smallint', again_after_seconds: '1' })), 'sends_once')
})

test('answers about an earlier send do not allow a send after the next one', async () => {
  const doubt = await inDoubt(notFound)
  await sendAgain(doubt)
  assert.equal(await refusal(sendAgain(doubt)), 'sends_once')
})

test('an order that provably never left is sent again without an inquiry', async () => {
  const doubt = await inDoubt([], { ...promise, same_reference: 'unknown' })
  await sql`update sends set not_sent_at = clock_now() where subject_id = ${doubt.subject_id}`
  await sendAgain(doubt)
})

test('the database accepts another connector only for an order that provably never left, and never another reference', async () => {
  const doubt = await inDoubt([])
  await sql`update sends set not_sent_at = clock_now() where subject_id = ${doubt.subject_id}`
  assert.equal(await refusal(sendAgain(doubt, { reference: 'gen_random_uuid()' })), 'sends_follow')
  await sendAgain(doubt, { connector: `'another'` })
  for (const said of notFound) await hear(doubt, said)
  assert.equal(
    await refusal(sendAgain(doubt, { connector: `'simulator'` })),
    'sends_follow',
    'the second may have left',
  )
  await sendAgain(doubt)
})

test('sends that never left do not count towards the limit of sends of an order', async () => {
  const doubt = await inDoubt([])
  for (let attempt = 1; attempt <= SENDS_MAX + 1; attempt += 1) {
    await sql`update sends set not_sent_at = clock_now() where subject_id = ${doubt.subject_id} and not_sent_at is null`
    await sendAgain(doubt)
  }
  for (const said of notFound) await hear(doubt, said)
  await sendAgain(doubt)
})

test('evidence of sends cannot be changed or deleted', async () => {
  const { subject_id } = await inDoubt(notFound)
  for (const statement of [
    `update sends set payload_hash = sha256('x')`,
    `update sends set again_times = 1`,
    `update sends set sent_at = sent_at - interval '1 day'`,
    'delete from sends',
    `update operator_answers set outcome = 'not_found'`,
    'delete from operator_answers',
  ]) {
    const error = await sql.unsafe(`${statement} where subject_id = '${subject_id}'`).then(
      () => assert.fail(`${statement} was taken`),
      (thrown: Error) => thrown,
    )
    assert.match(error.message, /append-only/, statement)
  }
})

test('an instruction that was sent again is never prepared again', async () => {
  const { subject_id } = await inDoubt(notFound)
  const statement = sql`update instructions set sent_again = 1, state = 'prepared' where subject_id = ${subject_id}`
  assert.equal(await refusal(statement), 'instructions_not_prepared_again')
})

test('an order that its operator takes five times and does not hold stays in doubt, and is given to people once', async () => {
  const doubt = await inDoubt(notFound)
  const { subject_id } = doubt
  const { begun, again } = dyingWorker()
  for (const attempt of [2, 3, 4, 5]) {
    await again(doubt)
    assert.equal(begun.at(-1), attempt)
    // Another worker inquires, and the operator answers again that it does not hold the order.
    await sql`update instructions set state = 'unknown' where subject_id = ${subject_id}`
    for (const said of notFound) await hear(doubt, said)
  }
  await again(doubt)
  await again(doubt)
  assert.deepEqual(begun, [2, 3, 4, 5])
  assert.equal((await findInstruction(sql, subject_id))!.state, 'unknown')
  const anomalies = await sql`select kind from anomalies where subject_id = ${subject_id}`
  assert.deepEqual([...anomalies], [{ kind: 'in_doubt' }])
})

test('the database has no order sent more often than the repetitions of an outage', async () => {
  const doubt = await inDoubt(notFound)
  for (let repetition = 1; repetition <= repetitionsMax('payout'); repetition += 1) {
    await sendAgain(doubt)
    for (const said of notFound) await hear(doubt, said)
  }
  assert.equal(await refusal(sendAgain(doubt)), 'sends_once')
})

test('a person who looked at an order before its last send cannot end it as failed', async () => {
  const doubt = await inDoubt(notFound)
  const [{ now }] = (await sql`select clock_now() as now`) as unknown as [{ now: Date }]
  const end = (kind: 'failed' | 'succeeded', looked_at: Date) => {
    const conclusion = kind === 'failed' ? ({ kind, failure_code: 'cancelled' } as const) : { kind }
    const judged = { conclusion, evidence: {}, looked_at }
    const without = { ...conclusions, collect: none, payout: none, refund: none }
    return sql.begin((tx) => concludeByHand(tx, doubt, judged, without))
  }
  const { again } = dyingWorker()
  await again(doubt)
  assert.equal(await end('failed', now), null)
  assert.equal((await findInstruction(sql, doubt.subject_id))!.state, 'sending')
  assert.deepEqual(await end('failed', new Date(now.getTime() + 60_000)), [])
  assert.equal((await findInstruction(sql, doubt.subject_id))!.state, 'refused')
})

test('concurrent workers that would send an order again send it once', async () => {
  const doubt = await inDoubt(notFound)
  const { begun, again } = dyingWorker()
  await Promise.all(Array.from({ length: 8 }, () => again(doubt)))
  assert.deepEqual(begun, [2])
  const sent = (await findInstruction(sql, doubt.subject_id))!
  assert.deepEqual([sent.state, sent.attempts, sent.sent_again], ['sending', 2, 1])
  assert.deepEqual(sent.sent_at, doubt.sent_at, 'it is as old as it was')
  const hashes = await sql`select distinct payload_hash, reference from sends where subject_id = ${doubt.subject_id}`
  assert.equal(hashes.length, 1)
})

test('the half minute within which a repeated send may leave counts from before its intent is committed', async () => {
  const doubt = await inDoubt(notFound)
  const { taken_at, again } = dyingWorker()
  await using held = await hold(
    sql,
    (tx) => tx`select from instructions where subject_id = ${doubt.subject_id} for update`,
  )
  const sending = again(doubt)
  await untilWaiting(sql, { statement: 'last_sent' })
  const still_waiting = performance.now()
  await held.letGo()
  await sending
  assert.ok(taken_at[0]! < still_waiting)
})

const notAgain: [why: string, said: Said[], change: (doubt: Instruction) => PromiseLike<unknown>][] = [
  ['after too few inquiries', notFound.slice(1), () => Promise.resolve()],
  ['when the inquiries came too soon', [...notFound.slice(0, 2), ['not_found', 59]], () => Promise.resolve()],
  [
    'that its operator has taken meanwhile',
    notFound,
    ({ subject_id }) => sql`update instructions set state = 'sent' where subject_id = ${subject_id}`,
  ],
  [
    'that has ended',
    notFound,
    ({ subject_id }) => sql`update instructions set state = 'refused' where subject_id = ${subject_id}`,
  ],
  [
    'when it is a collection of the day before',
    notFound,
    ({ subject_id }) => sql`
      update instructions set created_at = clock_now() - interval '25 hours' where subject_id = ${subject_id}`,
  ],
]
for (const [why, said, change] of notAgain) {
  test(`a worker does not send an order again ${why}`, async () => {
    const doubt = await inDoubt(said)
    await change(doubt)
    const { begun, again } = dyingWorker()
    await again(doubt)
    assert.deepEqual(begun, [])
  })
}

test('an order whose send is rolled back before it begins leaves its connector free for other orders', async () => {
  const { merchant_id, livemode, subject_id } = await inDoubt([])
  await sql`update sends set not_sent_at = clock_now() where subject_id = ${subject_id}`
  await sql`update instructions set state = 'prepared', direction = 'payout' where subject_id = ${subject_id}`
  const undone: string[] = []
  const simulator = { name: 'simulator' } as Connector
  const fail = () => assert.fail('the payout cannot be moved')
  const begin = createBeginSending({
    sql,
    clock: createClock(),
    log: createLog('silent', 'test'),
    registry: { ...createRegistry(withSimulator(simulator)), sendUndone: (id) => void undone.push(id) },
    mark: { collect: { lock: fail, mark: fail }, payout: fail, refund: fail },
    termsOf: () => ({ payload_hash: Buffer.alloc(32), again_times: null, again_after_seconds: null }),
    conclude: fail,
    expiry_hours: 24,
  })
  await assert.rejects(begin.prepared({ merchant_id, livemode, subject_id }), /cannot be moved/)
  assert.deepEqual(undone, [subject_id])
})
