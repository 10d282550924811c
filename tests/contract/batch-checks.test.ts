import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders } from './answers.ts'
import { isTime } from './book.ts'
import { checkBatch } from './payout-answers.ts'
import { inline, newNumber, newSender, PATIENCE, payout, type Sender } from './sender.ts'

// Jobs check a batch line by line before it is executed.

let twin: RunningTwin
let installation: Installation
before(async () => {
  twin = await startTwin()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = { PORT: String(port), PUBLIC_URL: origin, BATCH_WAIT_SECONDS: '10' }
  installation = await openInstallation({ env, processes: [['--only', 'api']] })
  await connectTwin(installation.db.sql, twin, { secret_key: installation.secret_key, origin })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

type Line = { rank: number; status: string; result: string | null; operator: string | null; checked_at: string | null }
type Check = { id: string; object: string; livemode: boolean; lines: Line[] }

async function ask(sender: Sender, id: string, method: 'GET' | 'POST' = 'GET'): Promise<Check> {
  const answer = await installation.ask({ method, path: `/x/payout-batches/${id}/check`, key: sender.key })
  assert.equal(answer.status, method === 'GET' ? 200 : 202, answer.text)
  checkHeaders(answer)
  const check = answer.json() as Check
  assert.deepEqual([check.object, check.id, check.livemode], ['payout_batch_check', id, sender.tenant.livemode])
  for (const { status, result, checked_at } of check.lines) {
    assert.equal(status === 'checked', result !== null)
    assert.equal(result !== null, checked_at !== null && isTime(checked_at))
  }
  return check
}

const untilChecked = (sender: Sender, id: string): Promise<Check> =>
  waitFor(
    async () => {
      const check = await ask(sender, id)
      return check.lines.every(({ status }) => status === 'checked') && check
    },
    { ...PATIENCE, what: 'every line to be checked' },
  )

const results = ({ lines }: Check) => lines.map(({ result }) => result)
const prepare = async (sender: Sender, lines: unknown[]) => checkBatch(await sender.prepare({ lines }), 201).id

/** Starts a worker, which stops before the test ends. */
const startWorker = (env: Record<string, string> = {}) => installation.start({ args: ['--only', 'worker'], env })

test('a batch is checked line by line, keeps the results, and executes as it would without a check', async () => {
  await using _worker = await startWorker()
  const sender = await newSender(installation)
  const ends = ['1234', '0021', '0022', '0023', '1234']
  const id = await prepare(
    sender,
    ends.map((end) => payout(100, end)),
  )
  const before = await ask(sender, id)
  assert.deepEqual(
    before.lines.map(({ rank, status }) => [rank, status]),
    ends.map((_, at) => [at + 1, 'unchecked']),
  )
  await ask(sender, id, 'POST')
  const checked = await untilChecked(sender, id)
  const words = ['match', 'close', 'no_match', 'unknown', 'match']
  assert.deepEqual(results(checked), words)
  assert.ok(checked.lines.every(({ operator }) => operator === 'orange_ci'))

  // A second check asks only about the unknown line.
  await ask(sender, id, 'POST')
  const later = await untilChecked(sender, id)
  for (const [at, line] of later.lines.entries())
    assert.equal(line.checked_at === checked.lines[at]!.checked_at, line.result !== 'unknown', `line ${at + 1}`)

  const { lines } = checkBatch(await sender.execute(id), 200, { status: 'termine' })
  assert.ok(lines.every(({ status }) => status === 'succeeded'))
  assert.deepEqual(results(await ask(sender, id)), words, 'the words stay')
})

test('an amended line loses its result, and the others keep theirs', async () => {
  await using _worker = await startWorker()
  const sender = await newSender(installation)
  const id = await prepare(sender, [payout(100), payout(100), payout(100), payout(100)])
  await ask(sender, id, 'POST')
  await untilChecked(sender, id)
  const { merchant_id } = sender.tenant
  const amend = (rank: number, column: string, value: string) => installation.db.sql`
    update payout_batch_lines set ${installation.db.sql(column)} = ${value}
     where merchant_id = ${merchant_id} and batch_id = ${id} and rank = ${rank}`
  await amend(1, 'name', 'Issa Diallo')
  await amend(2, 'msisdn', `+225${newNumber()}`)
  await amend(3, 'operator', 'wave_ci')
  await amend(4, 'reference', 'another')
  const { lines } = await ask(sender, id)
  assert.deepEqual(
    lines.map(({ status }) => status),
    ['unchecked', 'unchecked', 'unchecked', 'checked'],
  )
})

test('an execution does not wait for the check, and the result of a number that was checked too often is unknown', async () => {
  const sender = await newSender(installation)
  const beneficiary = inline()
  const id = await prepare(
    sender,
    Array.from({ length: 12 }, () => ({ amount: 100, beneficiary })),
  )
  await ask(sender, id, 'POST')
  const other = await prepare(sender, [payout(100)])
  await ask(sender, other, 'POST')
  {
    await using _worker = await startWorker()
    const words = results(await untilChecked(sender, id))
    assert.equal(words.filter((word) => word === 'match').length, 10)
    assert.equal(words.filter((word) => word === 'unknown').length, 2)
  }
  const unasked = await prepare(sender, [payout(100)])
  await ask(sender, unasked, 'POST')
  const executed = sender.execute(unasked)
  await using _worker = await startWorker()
  checkBatch(await executed, 200, { status: 'termine' })
})

test('in live mode each line’s own operator is asked, and a check that a kill interrupted continues by itself', async () => {
  const sender = await newSender(installation, { mode: 'live' })
  const people = (['mtn_ci', 'wave_ci'] as const).flatMap((operator) =>
    Array.from({ length: 40 }, (_, at) => {
      const msisdn = newNumber('7777').replace(/^07/, operator === 'mtn_ci' ? '05' : '01')
      const { holder } = twin.phone(msisdn).now()
      const isRight = at % 2 === 0
      return { name: isRight ? holder : 'Zoumana Zadi', msisdn, operator, word: isRight ? 'match' : 'no_match' }
    }),
  )
  const id = await prepare(
    sender,
    people.map(({ word: _, ...beneficiary }) => ({ amount: 100, beneficiary })),
  )
  await ask(sender, id, 'POST')
  const killed = await startWorker()
  await waitFor(async () => (await ask(sender, id)).lines.some(({ status }) => status === 'checked'), PATIENCE)
  await killed.kill('SIGKILL')
  const cut = await ask(sender, id)
  await using _worker = await startWorker()
  const checked = await untilChecked(sender, id)
  assert.deepEqual(
    results(checked),
    people.map(({ word }) => word),
  )
  for (const [at, line] of cut.lines.entries())
    if (line.status === 'checked') assert.deepEqual(checked.lines[at], line, 'a word that was written stays')
  assert.deepEqual(twin.journal(), [])
})
