import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createNumberBox } from '../../src/external-accounts/number-box.ts'
import { readNumber } from '../../src/external-accounts/store.ts'
import { Secret } from '../../src/values/secret.ts'
import { newConnector } from '../console/stages/operators.ts'
import { openStage, type Stand } from '../console/stages/stage.ts'
import { printInProcess } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'

// The accounts that operators and banks keep for the service, and the calendar of business days, by their commands.

let installation: Installation
let stand: Stand
let env: Record<string, string | undefined>

before(async () => {
  installation = await openInstallation({ own: 'sets connectors, which stay' })
  stand = await openStage(installation)
  const { PATH, HOME } = process.env
  env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY: installation.secret_key }
})
after(() => installation[Symbol.asyncDispose]())

type Account = { account: string; connector: string | null; mode: string }

async function run<Answer>(...words: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await printInProcess(words, env)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Answer
}

async function refused(...words: string[]): Promise<string> {
  const { code, stderr } = await printInProcess(words, env)
  assert.notEqual(code, 0)
  return stderr
}

const as = ['--as', 'kofi@example.com']
const listed = async (code: string) =>
  (await run<{ accounts: Account[] }>('external-account', 'list', '--mode', mode)).accounts.find(
    ({ account }) => account === code,
  )

test('every mode has the account bank, and a connector has a wallet of its name from its first setting on', async () => {
  const bank = await listed('bank')
  assert.ok(bank)
  const usual = { mode, connector: null, directions: [], profile: null, due: 'business', late_days: 3 }
  assert.deepEqual(bank, {
    account: 'bank',
    kind: 'bank',
    ...usual,
    opened_on: (bank as { opened_on?: string }).opened_on,
  })
  const name = await newConnector(stand)
  const { account, connector } = (await listed(name))!
  assert.deepEqual([account, connector], [name, name])
})

test('a connector of a taken name gets a wallet of another name', async () => {
  const name = `taken-${process.pid}`
  await run('external-account', 'create', '--code', name, '--kind', 'bank', '--mode', mode, ...as)
  await newConnector(stand, name)
  assert.equal((await listed(`${name}-wallet1`))?.connector, name)
})

test('a second wallet names its orders, which no third one takes', async () => {
  const connector = await newConnector(stand)
  const of = ['--kind', 'wallet', '--mode', mode, '--connector', connector, '--direction', 'payout']
  const code = `${connector.slice(0, 30)}-out`
  const made = await run<object>('external-account', 'create', '--code', code, ...of, '--direction', 'refund', ...as)
  const opened_on = new Date().toISOString().slice(0, 10)
  const usual = { profile: null, due: 'daily', late_days: 1, opened_on }
  assert.deepEqual(made, { account: code, kind: 'wallet', mode, connector, directions: ['payout', 'refund'], ...usual })
  assert.match(
    await refused('external-account', 'create', '--code', `${code}2`, ...of, ...as),
    /takes these orders already/,
  )
  assert.match(await refused('external-account', 'create', '--code', code, ...of, ...as), /has this name already/)
  const unknown = ['--kind', 'wallet', '--mode', mode, '--connector', 'nobody', '--direction', 'payout']
  assert.match(await refused('external-account', 'create', '--code', 'x', ...unknown, ...as), /no connector nobody/)
})

test('the number of an account is encrypted for it, and shown by its end alone', async () => {
  const code = `sealed-${process.pid}`
  const number = 'CI93 0001 0100 0100 0000 0002 98'
  const words = ['--code', code, '--kind', 'safeguarding', '--mode', mode, '--number', number, ...as]
  assert.ok(!JSON.stringify(await run('external-account', 'create', ...words)).includes('0298'))
  const { sql } = stand
  const [row] = await sql<{ end: string; row: string; line: string }[]>`
    select e.number_end as end, e::text as row, l.after::text as line
      from external_accounts e
      join audit_log l on l.act = 'external_account.create' and l.subject = e.code
     where e.code = ${code}`
  assert.equal(row!.end, '0298'.slice(-4))
  assert.ok(![row!.row, row!.line].some((text) => /CI93|0100 0000/.test(text)))
  const box = createNumberBox(new Secret(installation.secret_key))
  const place = { livemode: mode === 'live', code }
  assert.equal((await readNumber(sql, box, place))!.reveal(), number)
  await assert.rejects(sql`update external_accounts set code = 'other' where code = ${code}`, /refuse|change/i)
})

test('a day is a holiday or a business day as people entered it, and otherwise as the calendar has it', async () => {
  type Days = { days: { day: string; business: boolean; name: string | null }[] }
  const list = async () => (await run<Days>('calendar', 'list', '--from', '2031-05-01', '--to', '2031-05-04')).days
  const usual = [
    { day: '2031-05-01', business: false, name: 'Fête du Travail' },
    { day: '2031-05-02', business: true, name: null },
    { day: '2031-05-03', business: false, name: null },
    { day: '2031-05-04', business: false, name: null },
  ]
  assert.deepEqual(await list(), usual)
  const bridge = { day: '2031-05-02', business: false, name: 'Pont' }
  assert.deepEqual(await run('calendar', 'set', '--day', '2031-05-02', '--holiday', 'Pont', ...as), bridge)
  assert.deepEqual(await list(), usual.with(1, bridge))
  const open = { day: '2031-05-03', business: true, name: null }
  assert.deepEqual(await run('calendar', 'set', '--day', '2031-05-03', '--business', ...as), open)
  assert.deepEqual(await run('calendar', 'set', '--day', '2031-05-02', '--business', ...as), usual[1])
  assert.deepEqual(await list(), usual.with(2, open))
  assert.match(await refused('calendar', 'set', '--day', '2031-05-02', ...as), /either --holiday/)
  assert.match(await refused('calendar', 'set', '--day', '2031-02-30', '--business', ...as), /must be a day/)
  assert.match(await refused('calendar', 'list', '--from', '2031-05-02', '--to', '2031-05-01'), /in this order/)
  assert.match(await refused('calendar', 'list', '--from', '2031-05-02', '--to', '2041-05-01'), /at most 1000 days/)
})
