import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import type { OperatorCode } from '../../src/values/operators.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation, SETTINGS } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders, checkRefusal } from './answers.ts'
import { ask } from './ask.ts'
import { isTime } from './book.ts'
import { refused } from './commands.ts'
import { checkBatch } from './payout-answers.ts'
import { checkOf } from './recipient-refusal-cases.ts'
import { inline, newNumber, newSender, PATIENCE, type Sender } from './sender.ts'

// The holder behind a number: in test mode by the number's end, in live mode by the operators' twin.

let twin: RunningTwin
let installation: Installation
before(async () => {
  twin = await startTwin()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin } })
  await connectTwin(installation.db.sql, twin, { secret_key: installation.secret_key, origin })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

type Check = { object: string; result: string; operator: string | null; livemode: boolean; checked_at: string }

/** The answer to a check, whose shape is looked at. */
async function check(sender: Sender, body: unknown): Promise<Check> {
  const answer = await installation.ask(checkOf(sender, body))
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  const read = answer.json() as Check
  assert.deepEqual(Object.keys(read), ['object', 'result', 'operator', 'livemode', 'checked_at'])
  assert.equal(read.object, 'recipient_check')
  assert.equal(read.livemode, sender.tenant.livemode)
  assert.ok(isTime(read.checked_at))
  return read
}

const person = (msisdn: string, name: string, operator?: OperatorCode) => ({ beneficiary: { msisdn, name, operator } })

test('in test mode the end of the number chooses the result, and nothing is saved', async () => {
  const sender = await newSender(installation)
  const before = await sender.balances()
  const words = { '1234': 'match', '0021': 'close', '0022': 'no_match', '0023': 'unknown', '0002': 'unknown' }
  for (const [end, word] of Object.entries({ ...words, '0003': 'unknown' })) {
    const { result, operator } = await check(sender, { beneficiary: inline(end) })
    assert.deepEqual([result, operator], [word, 'orange_ci'], end)
  }
  const { result, operator } = await check(sender, person(newNumber('0021').replace(/^07/, '05'), 'Awa'))
  assert.deepEqual([result, operator], ['close', 'mtn_ci'], 'the operator of the prefix')
  const listed = await installation.ask({ path: '/v1-beneficiaries', key: sender.key })
  assert.deepEqual((listed.json() as { data: unknown[] }).data, [])
  assert.deepEqual(await sender.balances(), before)
})

test('an entry of the book is checked by its own name', async () => {
  const sender = await newSender(installation)
  const added = await installation.ask({ path: '/v1-beneficiaries', key: sender.key, body: inline('0022') })
  const { id } = added.json() as { id: string }
  assert.equal((await check(sender, { beneficiary_id: id })).result, 'no_match')
})

test('a merchant can check a number ten times a day, in every spelling and with every key', async () => {
  const sender = await newSender(installation)
  const number = newNumber()
  const command = (name: string) =>
    installation.bandama('recipient', 'check', ...sender.words, '--msisdn', number, '--name', name)
  const { result, operator } = await command('Awa')
  assert.deepEqual([result, operator], ['match', 'orange_ci'])
  const writings = [number, `+225${number}`, `00225 ${number.slice(0, 4)} ${number.slice(4)}`]
  for (let time = 0; time < 9; time += 1) await check(sender, person(writings[time % 3]!, `Awa ${time}`))
  for (const written of writings) {
    const answer = await installation.ask(checkOf(sender, person(written, 'Awa')))
    const message = checkRefusal(answer, 429, 'too_many_attempts')
    assert.doesNotMatch(message, /\d/)
  }
  await refused(command('Awa'), /checked too often/)
  await check(sender, person(newNumber(), 'Awa'))
  await check(await newSender(installation), person(number, 'Awa'))
})

test('a merchant has a limit of checks per minute over all numbers', async () => {
  const env = { RECIPIENT_CHECKS_PER_MERCHANT: '5', PORT: '0' }
  installation.services.push(await installation.start({ args: ['--only', 'api'], env }))
  const process = installation.services.length - 1
  const sender = await newSender(installation)
  // A minute may end on the way.
  const answers = []
  for (let time = 0; time < 11; time += 1) answers.push(await installation.ask(checkOf(sender), process))
  const last = answers.findLast(({ status }) => status === 429)
  assert.ok(last !== undefined)
  checkRefusal(last, 429, 'too_many_attempts')
  const other = await newSender(installation)
  assert.equal((await installation.ask(checkOf(other), process)).status, 200)
})

test('in live mode the service asks the operator of the payout, and shows only the result', async () => {
  const sender = await newSender(installation, { mode: 'live' })
  const cases: [operator: OperatorCode, prefix: string, near: string][] = [
    ['wave_ci', '01', 'no_match'],
    ['mtn_ci', '05', 'close'],
  ]
  const answers: string[] = []
  const holders: string[] = []
  for (const [operator, prefix, near] of cases) {
    const number = newNumber('7777').replace(/^07/, prefix)
    const { holder } = twin.phone(number).now()
    const [first, last] = holder.split(' ') as [string, string]
    const wanted: [name: string, word: string][] = [
      [holder.toUpperCase(), 'match'],
      [`${last} ${first}`, 'match'],
      [`${first[0]}. ${last}`, near],
      ['Zoumana Zadi', 'no_match'],
    ]
    for (const [name, word] of wanted) {
      const read = await check(sender, person(number, name, operator))
      assert.deepEqual([read.result, read.operator], [word, operator], name)
    }
    answers.push((await installation.ask(checkOf(sender, person(number, 'Zoumana Zadi', operator)))).text)
    holders.push(first, last)
    const words = ['--msisdn', number, '--operator', operator, '--name', holder]
    assert.equal((await installation.bandama('recipient', 'check', ...sender.words, ...words)).result, 'match')
  }
  for (const holder of holders) assert.ok(!answers.join().includes(holder))
  assert.deepEqual(twin.journal(), [])
  assert.deepEqual(twin.operations(), [])
})

test('the name that an operator holds is in no log and in no table', async () => {
  const { sql, url } = installation.db
  const printed: string[] = []
  const env = { ...SETTINGS, SECRET_KEY: installation.secret_key, LOG_LEVEL: 'trace' }
  const holders = new Set<string>()
  {
    await using service = await startService({ url, env, onOutput: (text) => void printed.push(text) })
    const sender = await newSender(installation, { mode: 'live' })
    for (const [operator, prefix] of [
      ['wave_ci', '01'],
      ['mtn_ci', '05'],
    ] as const) {
      const lines = Array.from({ length: 4 }, () => {
        const msisdn = newNumber('7777').replace(/^07/, prefix)
        holders.add(twin.phone(msisdn).now().holder)
        return { amount: 100, ...person(msisdn, 'Zoumana Zadi', operator) }
      })
      for (const { beneficiary } of lines)
        assert.equal((await ask(service.address, checkOf(sender, { beneficiary }))).status, 200)
      const { id } = checkBatch(await sender.prepare({ lines }), 201)
      await installation.ask({ method: 'POST', path: `/x/payout-batches/${id}/check`, key: sender.key })
      await waitFor(async () => {
        const [row] = await sql<{ open: number }[]>`
          select count(*)::int as open from payout_batch_lines where batch_id = ${id} and name_check is null`
        return row!.open === 0
      }, PATIENCE)
    }
    await service.stop()
  }
  assert.ok(printed.length > 0 && holders.size > 1)
  const tables = await sql<{ name: string }[]>`
    select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
  const kept = await Promise.all(
    tables.map(async ({ name }) =>
      (await sql<{ text: string }[]>`select t::text as text from ${sql(name)} t`).map(({ text }) => text),
    ),
  )
  for (const holder of holders) {
    assert.ok(!printed.join('').includes(holder), 'a log holds a name')
    assert.ok(!kept.flat().join().includes(holder), 'a table holds a name')
  }
})

test('in live mode the result is unknown if the operator tells nothing, has no connector or is away', async () => {
  const sender = await newSender(installation, { mode: 'live' })
  assert.equal((await check(sender, person(newNumber(), 'Awa', 'orange_ci'))).result, 'unknown', 'pawaPay')
  assert.equal((await check(sender, person(newNumber(), 'Awa', 'moov_ci'))).result, 'unknown', 'no route')
  twin.change('mtn', { names_told: 'none' })
  assert.equal((await check(sender, person(newNumber(), 'Awa', 'mtn_ci'))).result, 'unknown', 'no permission')
  twin.change('mtn', { names_told: 'both' })
  const number = newNumber('7777').replace(/^07/, '05')
  const { holder } = twin.phone(number).now()
  assert.equal((await check(sender, person(number, holder, 'mtn_ci'))).result, 'match')
  twin.change('wave', { api_key: 'another-key-of-the-twin' })
  assert.equal((await check(sender, person(newNumber(), 'Awa', 'wave_ci'))).result, 'unknown', 'a key that is wrong')
  await twin.close()
  await waitFor(async () => (await check(sender, person(newNumber(), 'Awa', 'mtn_ci'))).result === 'unknown', PATIENCE)
})
