import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkWebhook } from './check-described.ts'
import { type Batch, checkBatch } from './payout-answers.ts'
import { newSender, PATIENCE, payout } from './sender.ts'

// Receivers limit bodies: `express.json()` answers 413 above 100 kB.

const RECEIVER_BYTES_MAX = 100 * 1024
const WHOLE_BYTES_MAX = 64_000
const FINISHED = 'payout_batch.finished'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { PAYOUT_CAP_DAY: '1000000' } })
})
after(() => installation[Symbol.asyncDispose]())

type Event = { type: string; data: Batch & { lines_omitted?: true } }

const cases: { lines: number; reference?: string; name?: string; whole: boolean }[] = [
  { lines: 1, whole: true },
  { lines: 180, whole: true },
  // As many lines, but longer ones. An "é" is two bytes.
  { lines: 180, reference: 'é'.repeat(60), name: 'Koné'.repeat(40), whole: false },
  { lines: 180, reference: 'R'.repeat(120), name: 'Kone'.repeat(40), whole: false },
  { lines: 360, whole: false },
  { lines: 500, whole: false },
]
for (const { lines, reference, name, whole } of cases) {
  const words = whole ? 'is the batch as its GET gives it' : 'says that it omits the lines'
  const long = reference === undefined ? '' : ` with ${reference.slice(0, 3)}…`
  test(`the event of ${lines} lines${long} ${words}, and a receiver of 100 kB takes it`, async () => {
    const sender = await newSender(installation)
    await using receiver = await startReceiver(({ body }) => ({ status: body.length > RECEIVER_BYTES_MAX ? 413 : 200 }))
    await installation.bandama('endpoint', 'create', ...sender.words, '--url', receiver.url, '--event', FINISHED)
    const { id } = checkBatch(
      await sender.prepare({
        lines: Array.from({ length: lines }, (_, at) => {
          const { beneficiary } = payout(100)
          const named = name === undefined ? beneficiary : { ...beneficiary, name }
          return { amount: 100, reference: reference && `${reference}${at}`, beneficiary: named }
        }),
      }),
      201,
    )
    await sender.execute(id)
    const batch = await sender.untilBatch(id, 'termine')
    const told = await waitFor(() => receiver.requests.find(({ body }) => body.includes(`"type":"${FINISHED}"`)), {
      ...PATIENCE,
      what: 'the event of the batch',
    })
    assert.ok(told.body.length <= WHOLE_BYTES_MAX, `${told.body.length} bytes`)
    const event = JSON.parse(told.body.toString()) as Event
    checkWebhook(event)
    const { data } = event
    const { lines: detail, ...rest } = batch
    assert.deepEqual(data, whole ? batch : { ...rest, lines_omitted: true })
    assert.equal(detail.length, lines, 'the GET gives every line')
  })
}
