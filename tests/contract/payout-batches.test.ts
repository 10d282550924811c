import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { createClock } from '../../src/platform/clock.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { approveBatch } from '../harness/approvals.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, otherMode } from '../harness/mode.ts'
import { checkRefusal } from './answers.ts'
import { refused } from './commands.ts'
import { listenFor } from './events.ts'
import { countRows } from './meet-refusals.ts'
import { type Batch, checkBatch, checkBatchShape, checkPayout, type Line } from './payout-answers.ts'
import { inline, newNumber, newSender, payout, type Sender } from './sender.ts'

/** The cap of 24 hours of a merchant without its own. */
const DAY = 500_000

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '10' } })
  installation.services.push(await installation.start({ args: ['--only', 'api'] }))
})
after(() => installation[Symbol.asyncDispose]())

/** Makes a batch of payouts of these amounts to new people. The end of a number chooses the outcome. */
async function prepare(sender: Sender, wanted: [amount: number, end?: string][], status = 'brouillon'): Promise<Batch> {
  const lines = wanted.map(([amount, end]) => payout(amount, end))
  return checkBatch(await sender.prepare({ lines }), 201, { status })
}

const decide = (verb: 'approve' | 'reject', id: string, as = 'aya@example.com') =>
  installation.bandama('batch', verb, '--id', id, '--as', as)

/** Approves a batch without the command, for tests that are not about it. */
async function approve(id: string): Promise<void> {
  const decided = await approveBatch({ sql: installation.db.sql, clock: createClock() }, id, actor('aya@example.com'))
  assert.deepEqual(decided, { kind: 'decided', batch_id: id, status: 'brouillon' })
}

const outcomes = ({ lines }: Batch) => lines.map(({ status, failure_code }: Line) => failure_code ?? status)

test('a batch is made with the lines of its request, and nothing is sent', async () => {
  const sender = await newSender(installation)
  const numbers = [newNumber(), newNumber('4321')]
  const added = await installation.ask({
    path: '/v1-beneficiaries',
    key: sender.key,
    body: { msisdn: numbers[1], operator: 'wave_ci', name: 'Loyer' },
  })
  const lines = [
    { amount: 300, beneficiary: { msisdn: numbers[0], name: 'Awa' }, reference: 'Salaire 1' },
    { amount: 200, beneficiary_id: (added.json() as { id: string }).id },
    { amount: 1, beneficiary: { msisdn: `+225 ${numbers[0]}`, operator: 'mtn_ci', name: ' Awa Koné ' }, reference: '' },
  ]
  const answer = await sender.prepare({ lines, currency: 'xof', reference: 'Août' })
  const made = checkBatch(answer, 201, {
    status: 'brouillon',
    reference: 'Août',
    total_amount: 501,
    line_count: 3,
    livemode,
    executed_at: null,
    finished_at: null,
  })
  const line = { status: 'pending', fee_amount: 0, payout_id: null, failure_code: null, failure_message: null }
  const awa = `+225${numbers[0]}`
  assert.deepEqual(made.lines, [
    { ...line, rank: 1, amount: 300, reference: 'Salaire 1', beneficiary: { name: 'Awa', label: null, msisdn: awa } },
    {
      ...line,
      rank: 2,
      amount: 200,
      reference: null,
      beneficiary: { name: 'Loyer', label: 'Loyer', msisdn: '+225******4321' },
    },
    { ...line, rank: 3, amount: 1, reference: '', beneficiary: { name: 'Awa Koné', label: null, msisdn: awa } },
  ])
  assert.equal((await sender.readBatch(made.id)).text, answer.text, 'reading says what was answered')
  const collecting = await installation.ask({ path: `/v1-payout-batches/${made.id}`, key: sender.merchant.key })
  assert.equal(collecting.text, answer.text, 'and any key reads')
  const { payouts, instructions, beneficiaries, transfer } = await countRows(installation, sender)
  assert.deepEqual(
    { payouts, instructions, beneficiaries, transfer },
    {
      payouts: 0,
      instructions: 0,
      beneficiaries: 1,
      transfer: 1_000_000,
    },
  )
})

test('a total is at most the largest amount, and the refusal names both', async () => {
  const sender = await newSender(installation)
  const whole = { lines: [payout(400_000_000_000), payout(600_000_000_000)] }
  checkBatch(await sender.prepare(whole), 201, { status: 'en_attente_validation', total_amount: 1_000_000_000_000 })
  const more = { lines: [...whole.lines, payout(1)] }
  const message = checkRefusal(await sender.prepare(more), 422, 'invalid_amount')
  assert.match(message, /1000000000001 francs.* 1000000000000 at most/)
})

const five_hundred = () => Array.from({ length: 500 }, () => payout(1_000))

test('one wrong line among five hundred refuses the whole batch, and the message names its rank', async () => {
  const sender = await newSender(installation)
  const before = await countRows(installation, sender)
  const wrong: [line: object, code: string][] = [
    [{ ...payout(1_000), amount: 0 }, 'invalid_amount'],
    [{ amount: 1_000, beneficiary: { ...inline(), msisdn: '0800000000' } }, 'invalid_beneficiary'],
    [{ amount: 1_000, beneficiary_id: randomUUID() }, 'invalid_beneficiary'],
    [{ ...payout(1_000), reference: 7 }, 'invalid_lines'],
  ]
  for (const [line, code] of wrong) {
    for (const rank of [250, 500]) {
      const lines = five_hundred().with(rank - 1, line as ReturnType<typeof payout>)
      const message = checkRefusal(await sender.prepare({ lines }), 422, code)
      assert.match(message, new RegExp(`^Line ${rank}: `))
    }
  }
  assert.deepEqual(await countRows(installation, sender), before, 'nothing is written, also not to the book')
})

test('five hundred lines at exactly the cap are sent; one franc more waits for a person', async () => {
  const sender = await newSender(installation)
  const made = checkBatch(await sender.prepare({ lines: five_hundred() }), 201, {
    status: 'brouillon',
    total_amount: DAY,
  })
  const other = await newSender(installation)
  const lines = five_hundred().with(77, payout(1_001))
  checkBatch(await other.prepare({ lines }), 201, { status: 'en_attente_validation', total_amount: DAY + 1 })
  const ended = checkBatch(await sender.execute(made.id), 200, { status: 'termine' })
  assert.equal(new Set(ended.lines.map(({ payout_id }) => payout_id)).size, 500)
  const { transfer, payouts_in_flight } = await sender.balances()
  assert.deepEqual({ transfer, payouts_in_flight }, { transfer: 1_000_000 - DAY, payouts_in_flight: 0 })
})

test('an executed batch pays each line as its own payout, with the fee of its creation', async () => {
  const sender = await newSender(installation, { funds: 10_000 })
  await using told = await listenFor(installation, sender)
  const { sql } = installation.db
  await sql`insert into fee_schedules (merchant_id, service, effective_from, basis_points, fixed)
            values (${sender.tenant.merchant_id}, 'payout', clock_now(), 100, 5)`
  const made = await prepare(sender, [[1_000], [2_000], [3_000]])
  assert.deepEqual(
    made.lines.map(({ fee_amount }) => fee_amount),
    [15, 25, 35],
  )
  await sql`insert into fee_schedules (merchant_id, service, effective_from) 
            values (${sender.tenant.merchant_id}, 'payout', clock_now())`
  assert.equal((await sender.balances()).transfer, 10_000, 'nothing is taken before it is executed')

  const ended = checkBatch(await sender.execute(made.id), 200, { status: 'termine' })
  assert.deepEqual(checkBatch(await sender.readBatch(made.id), 200), ended)
  assert.equal((await sender.balances()).transfer, 10_000 - 6_075)
  for (const line of ended.lines) {
    const { rank, payout_id, amount, fee_amount, beneficiary, reference } = line
    assert.deepEqual({ ...line, status: 'pending', payout_id: null }, made.lines[rank - 1])
    checkPayout(await sender.read(payout_id!), 200, { amount, fee_amount, beneficiary, reference, status: 'succeeded' })
    await told.until(payout_id!, ['payout.processing', 'payout.succeeded'])
  }
  const [event] = await told.until(made.id, ['payout_batch.finished'])
  assert.deepEqual(checkBatchShape(event!.data as Batch), ended, 'the event says what reading says')
  checkRefusal(await sender.execute(made.id), 409, 'batch_not_executable')
  checkRefusal(await sender.cancel(made.id), 409, 'batch_not_cancellable')
})

test('a replay is the original answer, byte for byte, in every later state of the batch', async () => {
  const sender = await newSender(installation)
  for (const end of [sender.execute, sender.cancel]) {
    const [idempotency_key, body] = [randomUUID(), { lines: [payout(100)] }]
    const original = await sender.prepare(body, { idempotency_key })
    const { id } = checkBatch(original, 201, { status: 'brouillon' })
    assert.equal((await end(id)).status, 200)
    for (const process of [0, 1]) {
      const replay = await sender.prepare(body, { idempotency_key }, process)
      assert.deepEqual([replay.status, replay.text], [201, original.text])
    }
  }
  assert.equal((await countRows(installation, sender)).payout_batches, 2)
})

test('a cancelled batch sends nothing, and the refusal is the same for every batch that cannot be cancelled', async () => {
  const sender = await newSender(installation)
  const stranger = await newSender(installation)
  const live = await newSender(installation, { of: sender.merchant, mode: otherMode })
  const cancelled: string[] = []
  for (const [amount, status] of [
    [100, 'brouillon'],
    [DAY + 1, 'en_attente_validation'],
  ] as const) {
    const { id, lines } = await prepare(sender, [[amount]], status)
    const answer = await sender.cancel(id)
    const batch = checkBatch(answer, 200, { status: 'annule' })
    assert.deepEqual(
      batch.lines,
      lines.map((line) => ({ ...line, status: 'cancelled' })),
    )
    assert.equal((await sender.readBatch(id)).text, answer.text)
    checkRefusal(await sender.execute(id), 409, 'batch_not_executable')
    cancelled.push(id)
  }
  const executed = await prepare(sender, [[100]])
  checkBatch(await sender.execute(executed.id), 200, { status: 'termine' })
  const others = await Promise.all([stranger, live].map(async (one) => (await prepare(one, [[100]])).id))
  const refusals = await Promise.all(['pob_1', executed.id, ...cancelled, ...others].map((id) => sender.cancel(id)))
  for (const answer of refusals) {
    checkRefusal(answer, 409, 'batch_not_cancellable')
    assert.equal(answer.text, refusals[0]!.text)
  }
  checkBatch(await stranger.readBatch(others[0]!), 200, { status: 'brouillon' })
  assert.equal((await countRows(installation, sender)).payouts, 1)
})

test('a person decides on a batch above the cap: an approved one can be executed, a rejected one has ended', async () => {
  const sender = await newSender(installation)
  await using told = await listenFor(installation, sender)
  const big: [number] = [DAY / 2 + 1]
  const made = await prepare(sender, [big, big], 'en_attente_validation')
  checkRefusal(await sender.execute(made.id), 409, 'batch_pending_approval')
  await Promise.all([
    refused(decide('approve', made.id, `key:${sender.key_id}`), /cannot decide/),
    refused(decide('reject', made.id, `key:${sender.key_id}`), /cannot decide/),
    refused(decide('approve', 'pob_1'), /There is no such batch/),
  ])
  await assert.rejects(
    installation.db.sql`update payout_batches set decided_by = ${`key:${sender.key_id}`} where id = ${made.id}`,
    (error) => violatedConstraint(error)?.startsWith('payout_batches') === true,
  )
  assert.deepEqual(await sender.untilBatch(made.id, 'en_attente_validation'), made)

  assert.deepEqual(await decide('approve', made.id), { batch_id: made.id, status: 'brouillon' })
  assert.deepEqual(await sender.untilBatch(made.id, 'brouillon'), { ...made, status: 'brouillon' })
  await Promise.all(
    (['approve', 'reject'] as const).map((verb) => refused(decide(verb, made.id), /does not wait for approval/)),
  )
  checkBatch(await sender.execute(made.id), 200, { status: 'termine' })
  await told.until(made.id, ['payout_batch.finished'])

  // The executed batch counts, so one franc is above the cap now.
  const second = await prepare(sender, [[1]], 'en_attente_validation')
  assert.deepEqual(await decide('reject', second.id), { batch_id: second.id, status: 'annule' })
  assert.deepEqual(outcomes(await sender.untilBatch(second.id, 'annule')), ['cancelled'])
  checkRefusal(await sender.execute(second.id), 409, 'batch_not_executable')
})

test('of simultaneous executions and cancellations one succeeds, and a cancelled batch has sent nothing', async () => {
  const sender = await newSender(installation)
  const won = { execute: 0, cancel: 0 }
  for (let round = 1; round <= 10; round += 1) {
    const { id } = await prepare(sender, [[10], [10]])
    const calls = Array.from({ length: 10 }, (_, at) => ((at + round) % 2 === 0 ? 'execute' : 'cancel')) as (
      | 'execute'
      | 'cancel'
    )[]
    const answers = await Promise.all(calls.map(async (call) => ({ call, answer: await sender[call](id) })))
    const winners = answers.filter(({ answer }) => answer.status === 200)
    assert.equal(winners.length, 1)
    const { call } = winners[0]!
    won[call] += 1
    for (const { call, answer } of answers) {
      if (answer.status !== 200)
        checkRefusal(answer, 409, call === 'execute' ? 'batch_not_executable' : 'batch_not_cancellable')
    }
    await sender.untilBatch(id, call === 'execute' ? 'termine' : 'annule')
  }
  assert.equal((await countRows(installation, sender)).payouts, won.execute * 2)
})

test('a draft that is more than a day old must fit the cap again, unless a person has approved it', async () => {
  const [full, free, approved] = [
    await newSender(installation),
    await newSender(installation),
    await newSender(installation),
  ]
  const stale = await prepare(full, [[DAY]])
  const fits = await prepare(free, [[DAY]])
  const let_through = await prepare(approved, [[DAY + 1]], 'en_attente_validation')
  await approve(let_through.id)

  await installation.db.moveClock('25 hours')
  checkPayout(await full.send(payout(1)), 201)
  checkRefusal(await full.execute(stale.id), 409, 'batch_pending_approval')
  assert.deepEqual(await full.untilBatch(stale.id, 'en_attente_validation'), {
    ...stale,
    status: 'en_attente_validation',
  })
  checkRefusal(await full.execute(stale.id), 409, 'batch_pending_approval')
  await approve(stale.id)
  checkBatch(await full.execute(stale.id), 200, { status: 'termine' })

  // A draft that fits is sent, and counts from now on.
  checkBatch(await free.execute(fits.id), 200, { status: 'termine' })
  assert.equal((await free.send(payout(1))).status, 202)
  checkPayout(await approved.send(payout(1)), 201)
  checkBatch(await approved.execute(let_through.id), 200, { status: 'termine' })
})

test('a draft above a cap that was lowered since waits for a person, unless one has approved it', async () => {
  const lower = (sender: Sender, day: number) => setCaps(installation.db.sql, sender.tenant, { day })
  const [alone, beside, approved, equal] = [
    await newSender(installation),
    await newSender(installation),
    await newSender(installation),
    await newSender(installation),
  ]
  const above = await prepare(alone, [[DAY / 2]])
  await lower(alone, DAY / 2 - 1)
  checkRefusal(await alone.execute(above.id), 409, 'batch_pending_approval')
  await alone.untilBatch(above.id, 'en_attente_validation')
  assert.equal((await countRows(installation, alone)).payouts, 0)
  await approve(above.id)
  checkBatch(await alone.execute(above.id), 200, { status: 'termine' })

  // It fits into the cap alone, and not beside the earlier payouts.
  checkPayout(await beside.send(payout(100_000)), 201)
  const small = await prepare(beside, [[100_000]])
  await lower(beside, 199_999)
  checkRefusal(await beside.execute(small.id), 409, 'batch_pending_approval')

  const let_through = await prepare(approved, [[DAY + 1]], 'en_attente_validation')
  await approve(let_through.id)
  await lower(approved, 1)
  checkBatch(await approved.execute(let_through.id), 200, { status: 'termine' })

  // Exactly the lowered cap.
  const exact = await prepare(equal, [[100_000]])
  await lower(equal, 100_000)
  checkBatch(await equal.execute(exact.id), 200, { status: 'termine' })
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
