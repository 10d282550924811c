import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { askAct } from '../../src/acts/perform.ts'
import { proposeResolution } from '../../src/anomalies/propose-resolution.ts'
import { walletOfAnomaly } from '../../src/anomalies/wallet-of-anomaly.ts'
import { findAnomaly } from '../../src/operators/doubts/anomaly-store.ts'
import {
  type Connector,
  liveInquiryPlan,
  type Order,
  type ReadOutcome,
  usualSilence,
} from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import type { Answer } from '../../src/operators/sending/answer.ts'
import { createQueryOperator } from '../../src/operators/sending/query-operator.ts'
import { createRecordAnswer } from '../../src/operators/sending/record-answer.ts'
import { createSweepInstructions } from '../../src/operators/sending/sweep.ts'
import { findInstruction } from '../../src/operators/store.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { actor } from '../harness/actor.ts'
import { openTestDatabase } from '../harness/database.ts'
import { directContracts } from '../harness/sample-connector.ts'
import { openDoubts, promise } from './doubts.ts'

// An order that never left is sent again, perhaps through a second connector. An inquiry made before that is answered only now, and its answer
// does not count for the new send.

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { sql } = db
const promises = { collect: promise, payout: promise, refund: promise }
let read: Connector['read'] = () => assert.fail('only one test asks')
const connectors = ['first', 'second'].map((name): Connector => {
  const plan = { inquiryPlan: liveInquiryPlan, silenceAfter: usualSilence() }
  return { name, promises, ...plan, read: (order: Order) => read(order) } as unknown as Connector
})
const log = createLog('silent', 'test')
const registry = createRegistry(directContracts(connectors))
const unused = () => assert.fail('nothing ends by an answer about something else')
const record = createRecordAnswer({
  sql,
  clock: createClock(),
  log,
  registry,
  conclude: { collect: unused, charge: unused },
  late_looks: [],
  tellMoved: unused,
  numbers: { teach: unused },
})

const settled: ReadOutcome = { kind: 'settled', amount: 1_000, currency: 'XOF', evidence: {} }
const late: [answer: ReadOutcome, anomalies: string[]][] = [
  [{ kind: 'not_found', evidence: {} }, []],
  [{ kind: 'refused', failure_code: 'operator_refused', evidence: {} }, []],
  [{ kind: 'unknown', evidence: {} }, []],
  [{ kind: 'pending', evidence: {} }, ['pending at first, which carried it before']],
  [settled, ['settled at first, which carried it before']],
]
for (const [answer, anomalies] of late) {
  test(`a late "${answer.kind}" of the first connector neither ends the order nor allows another send`, async () => {
    const subject_id = await moved()
    await say(subject_id, 'first', answer)
    const { state } = (await findInstruction(sql, subject_id))!
    assert.equal(state, 'unknown', 'the second is asked')
    const said = await sql<{ outcome: string }[]>`select outcome from operator_answers where subject_id = ${subject_id}`
    assert.deepEqual(
      said.map(({ outcome }) => outcome),
      ['unknown'],
    )
    const kept = await sql<{ fact: string }[]>`select fact from anomalies where subject_id = ${subject_id}`
    assert.deepEqual(
      kept.map(({ fact }) => fact),
      anomalies,
    )
    await say(subject_id, 'second', { kind: 'accepted', evidence: {} }, { attempt: 2 })
    assert.equal((await findInstruction(sql, subject_id))!.state, 'sent')
  })
}

for (const answer of [
  { kind: 'not_found', evidence: {} },
  { kind: 'refused', failure_code: 'operator_refused', evidence: {} },
] as const) {
  test(`a late "${answer.kind}" to an inquiry made before the last send does not allow another send`, async () => {
    const subject_id = await moved('first')
    await say(subject_id, 'first', answer, { asked_after: 1 })
    await say(subject_id, 'first', { kind: 'unknown', evidence: {} }, { attempt: 2 })
    assert.equal((await findInstruction(sql, subject_id))!.state, 'unknown')
    const said = async () =>
      (
        await sql<{ outcome: string }[]>`
          select outcome from operator_answers where subject_id = ${subject_id} order by number`
      ).map(({ outcome }) => outcome)
    assert.deepEqual(await said(), ['unknown', 'unknown'])
    await say(subject_id, 'first', { kind: 'not_found', evidence: {} }, { asked_after: 2 })
    assert.equal((await said()).at(-1), 'not_found', 'one that was asked after it counts')
  })
}

test('the money that the first connector reports is in its wallet, and does not end the order at the second', async () => {
  for (const name of ['first', 'second']) await sql`select open_wallet(false, ${name}, 'test')`
  const subject_id = await moved()
  await say(subject_id, 'first', settled)
  const [row] = await sql<{ id: string }[]>`select id from anomalies where subject_id = ${subject_id}`
  const subject = await findInstruction(sql, subject_id)
  const anomaly = (await findAnomaly(sql, row!.id))!
  assert.equal(await walletOfAnomaly(sql, anomaly, subject), 'first')
  assert.equal(await walletOfAnomaly(sql, { ...anomaly, kind: 'refusal_after_proof' }, subject), 'second')
  const values = { resolution: 'as_proven', amount: null, merchant: null, reason: 'The statement shows it' } as const
  const call = { by: actor('ama@example.ci'), id: anomaly.id, within: {}, values }
  const asked = await askAct(proposeResolution, { sql, clock: createClock(), registry }, call)
  assert.equal(asked.kind === 'refused' && asked.code, 'carried_before')
})

test('an inquiry that began before the last send, and was answered after it, says nothing about that send', async () => {
  const instruction = await openDoubts(sql).inDoubt([])
  await sql`update instructions set connector = 'first' where subject_id = ${instruction.subject_id}`
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<ReadOutcome>()
  read = () => {
    asked.resolve()
    return answered.promise
  }
  const query = createQueryOperator({ sql, log, registry, record, sendAgain: async () => undefined })([instruction])
  await asked.promise
  await sendAgain(instruction.subject_id, 'first')
  answered.resolve({ kind: 'refused', failure_code: 'operator_refused', evidence: {} })
  await query
  assert.equal((await findInstruction(sql, instruction.subject_id))!.state, 'unknown')
})

test('a send that the operator shows to hold in the same moment is not recorded as never sent', async () => {
  const { subject_id } = await openDoubts(sql).inDoubt([])
  await sql`update instructions set state = 'sending', connector = 'first' where subject_id = ${subject_id}`
  await Promise.all([
    say(subject_id, 'first', { kind: 'not_sent', evidence: {} }, { attempt: 1 }),
    say(subject_id, 'first', { kind: 'pending', evidence: {} }),
  ])
  assert.equal((await findInstruction(sql, subject_id))!.state, 'sent')
  const [send] = await sql<
    { not_sent_at: Date | null }[]
  >`select not_sent_at from sends where subject_id = ${subject_id}`
  assert.equal(send!.not_sent_at, null)
})

test('a late proof of success counts, whenever the inquiry was made', async () => {
  const subject_id = await moved('first')
  await say(subject_id, 'first', { kind: 'pending', evidence: {} }, { asked_after: 1 })
  assert.equal((await findInstruction(sql, subject_id))!.state, 'sent')
})

test('an order that never left and has lost its job is sent within a day, and expires afterwards', async () => {
  const [young, old] = [await openDoubts(sql).inDoubt([]), await openDoubts(sql).inDoubt([])]
  for (const [{ subject_id }, hours] of [
    [young, 23],
    [old, 25],
  ] as const) {
    await sql`
      update instructions
         set state = 'prepared', created_at = clock_now() - make_interval(hours => ${hours}), next_check_at = clock_now()
       where subject_id = ${subject_id}`
  }
  const said: [subject_id: string, outcome: string][] = []
  const sweep = createSweepInstructions({
    ...{ sql, log, expiry_hours: 24 },
    record: async ({ key, answer }) => void said.push([key.subject_id, answer.kind]),
  })
  assert.equal(await sweep(), 2)
  assert.deepEqual(said, [[old.subject_id, 'expired_unsent']])
  const jobs = await sql<{ payload: unknown }[]>`select payload from jobs where kind = 'send-instructions'`
  assert.deepEqual(
    jobs.map(({ payload }) => payload),
    [{ instructions: [{ merchant_id: 1, livemode: false, subject_id: young.subject_id }] }],
  )
})

/** An order that never left through the first connector, and is being sent through the second, or again through the first. */
async function moved(to = 'second'): Promise<string> {
  const { subject_id } = await openDoubts(sql).inDoubt([])
  await sendAgain(subject_id, to)
  return subject_id
}

async function sendAgain(subject_id: string, to: string): Promise<void> {
  await sql`update sends set not_sent_at = clock_now() where subject_id = ${subject_id}`
  await sql`
    insert into sends (merchant_id, livemode, subject_id, attempt, connector, reference, payload_hash, again_times, again_after_seconds)
    select merchant_id, livemode, subject_id, 2, ${to}, reference, payload_hash, again_times, again_after_seconds
      from sends
     where subject_id = ${subject_id}`
  await sql`
    update instructions
       set state = 'sending', connector = ${to}, attempts = 2, sent_at = clock_now()
     where subject_id = ${subject_id}`
}

function say(
  subject_id: string,
  connector: string,
  answer: Answer,
  about: { attempt?: number; asked_after?: number } = {},
): Promise<void> {
  const key = { merchant_id: 1, livemode: false, subject_id, direction: 'collect', connector } as const
  return record({ key, source: about.attempt === undefined ? 'inquiry' : 'send', answer, ...about })
}
