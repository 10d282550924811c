import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { CrashPoint } from '../../src/platform/crash-point.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { checkPayment } from '../contract/answers.ts'
import { ask } from '../contract/ask.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

// A payer's one-time code can move money, and the process that has it dies, freezes or hears no answer.

let twin: RunningTwin
let installation: Installation
let key: string

before(async () => {
  twin = await startTwin()
  twin.change('moov', { collection: 'code' })
  const origin = 'http://127.0.0.1:9'
  installation = await openInstallation({ env: { PUBLIC_URL: origin }, processes: [] })
  const { secret_key } = installation
  const operators = [{ api: 'moov', operator: 'moov_ci', prefix: '01' }] as const
  await connectTwin(installation.db.sql, twin, { secret_key, origin, operators })
  installation.services.push(await installation.start())
  const { newKey } = await installation.newMerchant()
  key = (await newKey('live', 'collect')).key
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

/** A payment whose payer was sent a code. */
async function asked() {
  const msisdn = newPayer().replace(/^07/, '01').replace(/0000$/, '7777')
  const body = { amount: 300, operator: 'moov_ci', counterparty: { msisdn } }
  const { id } = checkPayment(await installation.pay(key, body), 201)
  const read = async () => checkPayment(await installation.read(key, id), 200)
  const waits = async () => (await read()).next_action?.type === 'enter_code'
  await waitFor(waits, { what: 'the payer to be sent a code' })
  const code = twin.phone(msisdn).now().code!.digits
  return {
    id,
    read,
    /** Gives the code to a process. */
    give: ({ address }: Service) => ask(address, { path: `/x/payments/${id}/code`, key, body: { code } }),
    /** How often the payer has paid. */
    paid: () => twin.journal().filter((one) => one.msisdn?.endsWith(msisdn.slice(1))).length,
  }
}

/** A process that takes codes, and dies or freezes with the first one. */
function doomed(point: CrashPoint, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL') {
  const env = { CRASH_POINTS: 'on', CRASH_AT: `${point}:1:${signal}` }
  return installation.start({ args: ['--only', 'api'], env })
}

async function ends(payment: Awaited<ReturnType<typeof asked>>, status: string) {
  const over = async () => (await payment.read()).status === status
  await waitFor(over, { what: `the payment to be ${status}` })
}

test('a code whose process dies before the call is never passed on, and the operator is asked all the same', async () => {
  const payment = await asked()
  const dying = await doomed('before_send')
  await assert.rejects(payment.give(dying))
  await dying.ended
  const [alive] = installation.services
  assert.equal(checkPayment(await payment.give(alive!), 200).status, 'pending', 'the one try is used up')
  const { sql } = installation.db
  const questions = async () => (await sql`select asked from instructions where subject_id = ${payment.id}`)[0]!.asked
  const before = await questions()
  await waitFor(async () => (await questions()) > before, {
    what: 'the operator to be asked',
  })
  assert.deepEqual([payment.paid(), (await payment.read()).status], [0, 'pending'])
})

test('a code whose process dies after the call has paid once, and a question finds it', async () => {
  const payment = await asked()
  const dying = await doomed('after_send')
  await assert.rejects(payment.give(dying))
  await dying.ended
  checkPayment(await payment.give(installation.services[0]!), 200)
  await ends(payment, 'succeeded')
  assert.equal(payment.paid(), 1)
})

test('a code whose answer is lost has paid once, and a question finds it', async () => {
  const payment = await asked()
  twin.fault({ fault: 'lose_answer', api: 'moov', direction: 'collect', times: 1 })
  checkPayment(await payment.give(installation.services[0]!), 200)
  await ends(payment, 'succeeded')
  assert.equal(payment.paid(), 1)
})

test('a process that freezes with a code and wakes half a minute later does not pass it on, and the payment fails', async () => {
  const payment = await asked()
  const sleeper = await doomed('before_send', 'SIGSTOP')
  const given = assert.rejects(payment.give(sleeper), /No answer/)
  const isFrozen = async () => /^State:\s+T/m.test(await readFile(`/proc/${sleeper.pid}/status`, 'utf8'))
  await waitFor(isFrozen, { what: 'the process to freeze' })
  const frozenAt = performance.now()
  await waitFor(() => performance.now() - frozenAt > 31_000, { what: 'half a minute' })
  process.kill(sleeper.pid, 'SIGCONT')
  await given
  await ends(payment, 'failed')
  assert.equal((await payment.read()).failure_code, 'operator_unavailable')
  assert.equal(payment.paid(), 0)
  assert.equal((await installation.bandama('audit')).ok, true)
})
