import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { audit } from '../../src/app/audit.ts'
import { createNumberBox } from '../../src/external-accounts/number-box.ts'
import { insertAccount, readNumber } from '../../src/external-accounts/store.ts'
import { Secret } from '../../src/values/secret.ts'
import { newConnector } from '../console/stages/operators.ts'
import { openStage, type Stand } from '../console/stages/stage.ts'
import { printInProcess } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { payout } from './sender.ts'

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

test('two people who create a wallet at once do not take the same orders', async () => {
  const connector = await newConnector(stand)
  const of = ['--kind', 'wallet', '--mode', mode, '--connector', connector, '--direction', 'refund', ...as]
  const codes = ['one', 'two'].map((word) => `${connector.slice(0, 30)}-${word}`)
  const made = await Promise.all(
    codes.map((code) => printInProcess(['external-account', 'create', '--code', code, ...of], env)),
  )
  assert.deepEqual(made.map(({ code }) => code === 0).toSorted(), [false, true])
  assert.match(made.find(({ code }) => code !== 0)!.stderr, /takes these orders already/)
  const { sql } = stand
  await assert.rejects(
    sql`
      insert into external_accounts (livemode, code, kind, connector, directions, orders_from, due, late_days, created_by)
      values (${mode === 'live'}, ${`third-${process.pid}`}, 'wallet', ${connector}, '{refund}', clock_now(), 'daily', 1, 'a')`.then(),
    /external_accounts_refund/,
  )
})

test('setting a connector again opens the wallet that it lacks', async () => {
  const name = await newConnector(stand)
  const { sql } = stand
  await sql`alter table external_accounts disable trigger external_accounts_fixed`
  await sql`delete from external_accounts where connector = ${name}`
  await sql`alter table external_accounts enable trigger external_accounts_fixed`
  assert.equal(await listed(name), undefined)
  await newConnector(stand, name)
  assert.equal((await listed(name))?.connector, name)
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

test('an order is booked in the wallet of its connector for its direction, and a deposit in the account that it names', async () => {
  const { collector, sql } = stand
  const { merchant_id } = collector.tenant
  const held = async () =>
    Object.fromEntries(
      (
        await sql<{ account: string; balance: number }[]>`
          select account, balance from accounts
           where merchant_id = ${merchant_id} and livemode = ${mode === 'live'} and account like 'held:%' and balance <> 0`
      ).map(({ account, balance }) => [account, balance]),
    )
  await collector.collect(50_000, { simulate: true })
  const code = `out-${process.pid}`
  const wallet = {
    livemode: mode === 'live',
    code,
    kind: 'wallet',
    connector: 'simulator',
    directions: ['payout'],
  } as const
  const terms = { number: null, profile: null, due: 'daily', late_days: 1, created_by: 'kofi@example.com' } as const
  // Its orders begin sooner than those of a wallet that a person creates, and every process knows it by then too.
  await sql.begin((tx) => insertAccount(tx, { ...wallet, ...terms }, 2))
  const begun = async () =>
    (await sql`select code from external_accounts where code = ${code} and orders_from <= clock_now()`).length === 1
  const bank = `second-bank-${process.pid}`
  await run('external-account', 'create', '--code', bank, '--kind', 'bank', '--mode', mode, ...as)
  const deposit = ['deposit', ...collector.words, '--amount', '20000']
  await run(...deposit, '--account', bank, ...as)
  assert.match(await refused(...deposit, '--account', code, ...as), /no bank account/)
  assert.match(await refused(...deposit, '--account', 'nowhere', ...as), /no bank account/)
  // The same reference at another bank is another deposit, which is never taken for this one.
  const named = [...deposit, '--reference', `VIR-${process.pid}`]
  await run(...named, '--account', bank, ...as)
  assert.match(await refused(...named, ...as), new RegExp(`booked at .* in the account ${bank}`))
  const { repeated } = await run<{ repeated: boolean }>(...named, '--account', bank, ...as)
  assert.equal(repeated, true)
  await waitFor(begun, { what: 'the orders of the wallet to begin' })
  const sent = await collector.send(payout(700))
  assert.equal(sent.status, 201)
  const wanted = { 'held:simulator': -50_000, [`held:${bank}`]: -40_000, [`held:${code}`]: 700 }
  const booked = async () => isDeepStrictEqual(await held(), wanted)
  await waitFor(booked, { what: 'the payout to be booked' })
  const { ok, checks } = await audit(sql)
  assert.ok(ok, JSON.stringify(checks.filter(({ wrong }) => wrong > 0)))
})

test('two people open an account, and what its statement shows beyond the books is the money of the house', async () => {
  const { sql } = stand
  const code = `opened-${process.pid}`
  await run('external-account', 'create', '--code', code, '--kind', 'bank', '--mode', mode, ...as)
  const open = (balance: string, day = '2026-01-31') =>
    [
      'external-account',
      'open',
      '--account',
      code,
      '--day',
      day,
      `--balance=${balance}`,
      '--mode',
      mode,
      ...as,
    ] as const
  const own = async () =>
    sql<{ account: string; balance: number }[]>`
      select account, balance from accounts
       where merchant_id = 0 and livemode = ${mode === 'live'} and account in ('own_funds', ${`held:${code}`}) order by account`
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  assert.match(await refused(...open('5', tomorrow)), /not over/)
  const { proposal_id, status } = await run<{ proposal_id: string; status: string }>(...open('-700'))
  assert.equal(status, 'proposed')
  assert.match(proposal_id, /^rcp_/)
  assert.match(await refused(...open('800')), /waits already/)
  assert.match(await refused('reconcile', 'approve', '--id', proposal_id, ...as), /proposer cannot decide/)
  assert.deepEqual([...(await own())], [], 'nothing is booked before')
  const approve = ['reconcile', 'approve', '--id', proposal_id, '--as', 'ama@example.com'] as const
  assert.deepEqual(await run(...approve), { proposal_id, status: 'approved' })
  const balances = [...(await own())].map(({ account, balance }) => [account, balance])
  assert.deepEqual(balances, [
    [`held:${code}`, 700],
    ['own_funds', -700],
  ])
  assert.match(await refused(...open('800')), /open since 2026-01-31/)
  const { merchants } = await run<{ merchants: { merchant_id: number }[] }>('merchant', 'list')
  assert.ok(!merchants.some(({ merchant_id }) => merchant_id === 0), 'the house is no merchant')
  const { ok, checks } = await audit(sql)
  assert.ok(ok, JSON.stringify(checks.filter(({ wrong }) => wrong > 0)))
})
