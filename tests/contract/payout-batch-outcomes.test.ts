import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { checkRefusal } from './answers.ts'
import { listenFor } from './events.ts'
import { countRows } from './meet-refusals.ts'
import { type Batch, checkBatch, checkBatchShape, checkPayout, type Line } from './payout-answers.ts'
import { inline, newSender, payout, type Sender } from './sender.ts'

/** The cap of 24 hours of a merchant without its own. */
const DAY = 500_000

let installation: Installation
before(async () => {
  // An operator counts as silent after 15 of these delays, later than the second process waits.
  installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '10', SIMULATOR_DELAY_MS: '120' } })
  const impatient = { args: ['--only', 'api'], env: { BATCH_WAIT_SECONDS: '1' } }
  installation.services.push(await installation.start(impatient))
})
after(() => installation[Symbol.asyncDispose]())

/** Makes a draft of payouts of these amounts to new people. The end of a number chooses the outcome. */
async function prepare(sender: Sender, wanted: [amount: number, end?: string][]): Promise<Batch> {
  const lines = wanted.map(([amount, end]) => payout(amount, end))
  return checkBatch(await sender.prepare({ lines }), 201, { status: 'brouillon' })
}

const outcomes = ({ lines }: Batch) => lines.map(({ status, failure_code }: Line) => failure_code ?? status)

test('a line that the balance does not cover fails, in the order of the ranks, and a later line may still be covered', async () => {
  const sender = await newSender(installation, { funds: 800 })
  const { id } = await prepare(sender, [[400], [300], [500], [100], [1]])
  const ended = checkBatch(await sender.execute(id), 200, { status: 'termine_avec_erreurs' })
  const short = 'insufficient_funds'
  assert.deepEqual(outcomes(ended), ['succeeded', 'succeeded', short, 'succeeded', short])
  const failed = ended.lines[2]!
  assert.deepEqual(
    [failed.payout_id, failed.failure_message],
    [null, 'The transfer balance does not cover the amount and its fee.'],
  )
  assert.equal((await sender.balances()).transfer, 0)
  assert.equal((await countRows(installation, sender)).payouts, 3)
})

test('a batch without a covered line ends at once, and its merchant gets the event', async () => {
  const sender = await newSender(installation, { funds: 99 })
  await using told = await listenFor(installation, sender)
  const { id } = await prepare(sender, [[100], [100]])
  const ended = checkBatch(await sender.execute(id), 200, { status: 'termine_avec_erreurs' })
  assert.deepEqual(outcomes(ended), ['insufficient_funds', 'insufficient_funds'])
  await told.until(id, ['payout_batch.finished'])
  // Failed lines no longer count towards the 24 hours.
  await prepare(sender, [[DAY]])
})

test('a failed line does not affect the others, and its money returns', async () => {
  const sender = await newSender(installation, { funds: 1_000 })
  const { id } = await prepare(sender, [
    [100, '0001'],
    [100],
    [100, '0002'],
    [100, '0004'],
    [100, '0005'],
    [100, '0006'],
  ])
  checkBatch(await sender.execute(id), 200)
  // A refusal without a reason counts in live mode ten seconds after the first, which may be longer than the call waits.
  const ended = await sender.untilBatch(id, 'termine_avec_erreurs')
  assert.deepEqual(outcomes(ended), [
    'recipient_limit_reached',
    'succeeded',
    'recipient_not_found',
    'succeeded',
    'succeeded',
    'operator_refused',
  ])
  assert.match(ended.lines[0]!.failure_message!, /limit/)
  checkPayout(await sender.read(ended.lines[0]!.payout_id!), 200, { failure_code: 'recipient_limit_reached' })
  assert.equal((await sender.balances()).transfer, 700)
})

test('while an operator is slow the answer is en_cours; an unconfirmed line counts as an error until it is confirmed', async () => {
  const sender = await newSender(installation)
  await using told = await listenFor(installation, sender)
  const { id } = await prepare(sender, [[100], [200, '0003']])
  // The second process waits one second.
  const under_way = checkBatch(await sender.execute(id, 1), 200, { status: 'en_cours' })
  assert.equal(under_way.lines[1]!.status, 'processing')
  checkRefusal(await sender.execute(id), 409, 'batch_not_executable')
  checkRefusal(await sender.cancel(id), 409, 'batch_not_cancellable')

  const [event] = await told.until(id, ['payout_batch.finished'])
  const ended = await sender.untilBatch(id, 'termine_avec_erreurs')
  assert.deepEqual(checkBatchShape(event!.data as Batch), ended)
  assert.deepEqual(outcomes(ended), ['succeeded', 'indeterminate'])
  assert.equal((await sender.balances()).payouts_in_flight, 200, 'the money is held')

  const { payout_id } = ended.lines[1]!
  // The hour is over.
  const { sql } = installation.db
  await sql`update simulator_orders set msisdn_end = '1234' where merchant_id = ${sender.tenant.merchant_id}`
  await sql`update instructions set next_check_at = clock_now() where subject_id = ${payout_id!}`
  await sender.untilPayout(payout_id!, 'succeeded')
  const cleared = checkBatch(await sender.readBatch(id), 200, { status: 'termine_avec_erreurs' })
  assert.deepEqual(outcomes(cleared), ['succeeded', 'succeeded'])
  assert.equal((await sender.balances()).payouts_in_flight, 0)
  assert.equal(told.about(id).length, 1, 'a batch ends once')
})

test('a batch has no error if an indeterminate line succeeds before the last one ends', async () => {
  const sender = await newSender(installation)
  await using told = await listenFor(installation, sender)
  const { sql } = installation.db
  const slow = { ...inline(), operator: 'mtn_ci' }
  const lines = [payout(100, '0003'), { amount: 100, beneficiary: slow }]
  const { id } = checkBatch(await sender.prepare({ lines }), 201)
  await stopPayouts(sql, { scope: 'operator', operator: 'mtn_ci' }, actor('a test'))
  const { payout_id } = checkBatch(await sender.execute(id, 1), 200, { status: 'en_cours' }).lines[0]!
  await sender.untilPayout(payout_id!, 'indeterminate')
  await sql`update simulator_orders set msisdn_end = '1234' where merchant_id = ${sender.tenant.merchant_id}`
  await sender.untilPayout(payout_id!, 'succeeded')
  await resumeByTwo(sql, { scope: 'operator', operator: 'mtn_ci' })
  const ended = await sender.untilBatch(id, 'termine')
  assert.deepEqual(outcomes(ended), ['succeeded', 'succeeded'])
  await told.until(id, ['payout_batch.finished'])
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
