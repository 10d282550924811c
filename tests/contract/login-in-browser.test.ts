import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCommand, runUntilCode } from '../harness/command-line.ts'
import { browse } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openMember } from '../harness/teams.ts'
import { type Collector, newCollector } from './collector.ts'
import { agree, answer, openTerminals, DESK_PAGE as PAGE, plain, type Terminals } from './terminals.ts'

// A person without a telephone signs in on the command line by a code that they type into a browser, and confirms its acts there.

/** The tag of an act in live mode. */
const REAL_MONEY = /<span class="tag care">Argent réel/

let installation: Installation
let terminals: Terminals
let merchant: Collector
before(async () => {
  installation = await openInstallation()
  terminals = openTerminals(installation)
  merchant = await newCollector(installation)
})
after(async () => {
  await terminals[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

const newFinance = () => terminals.newHolder({ staff_roles: ['finance'] })

test('a person with only a passkey signs in on the command line, by a code that is valid once and never stored', async () => {
  const { sql } = installation.db
  const person = await newFinance()
  const env = await terminals.newTerminal()
  const { code, said, ended } = await runUntilCode(env, ['login'])
  assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  const [address] = /http:\/\/localhost:\d+\/console\/command-line/.exec(said)!
  const led = await person.get(new URL(address!).pathname)
  assert.equal(led.location, PAGE)
  const signedOut = await browse(installation.services[0]!.address, 'session=none').get(new URL(address!).pathname)
  assert.equal(signedOut.location, '/console/sign-in?next=%2Fconsole%2Fcommand-line')
  const wrong = await person.post(PAGE, { code: 'BBBB-BBBB' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /Aucune commande n’attend ce code/)
  const { ask, done } = await agree(person, ` ${code.toLowerCase().replace('-', '')} `)
  assert.match(plain(ask), /Ouvrir une ligne de commande à votre nom.*Machine \S+@\S+ Commande bandama login/)
  assert.doesNotMatch(ask.text, REAL_MONEY, 'a sign-in has no mode')
  assert.equal(done.location, '/desk/live/account?done=command_line_agreed')
  const signedIn = await ended
  const { email, staff_roles } = signedIn.answer
  assert.deepEqual([signedIn.code, email, staff_roles], [0, person.email, ['finance']])
  assert.equal((await person.post(PAGE, { code })).status, 422, 'it counts once')

  const lines = await sql`
    select l.act, l.door, s.factor, l.after
      from audit_log l join step_ups s on s.step_up_id = l.step_up_id
     where l.actor = ${person.email} order by l.at, l.id`
  const [agreed, opened, ...more] = lines
  assert.deepEqual([agreed!.act, agreed!.door, agreed!.factor], ['command_line.agree', 'console', 'passkey'])
  assert.deepEqual([opened!.act, opened!.door, opened!.factor], ['session.open', 'command_line', 'passkey'])
  assert.deepEqual(opened!.after, { factor: 'passkey', agreed_in_browser: true })
  assert.deepEqual([agreed!.after.command, more.length], ['login', 0])
  const [{ rows }] = await sql<[{ rows: string }]>`
    select (select json_agg(a) from sign_in_attempts a where purpose = 'command_line')::text
           || (select json_agg(l) from audit_log l)::text as rows`
  const records = `${installation.services[0]!.output()} ${rows}`
  for (const secret of [code, code.replace('-', ''), code.toLowerCase()]) assert.ok(!records.includes(secret))
})

test('an act of a person without a telephone waits for that person’s confirmation in a browser', async () => {
  const { sql } = installation.db
  const person = await newFinance()
  const env = await terminals.newTerminal()
  await terminals.logIn(person, env)
  const { code, ended } = await runUntilCode(env, ['deposit', ...merchant.words, '--amount', '4321'])
  const colleague = await openMember(installation, 'Ama Koné', { staff: ['finance'] })
  assert.equal((await colleague.post(PAGE, { code })).status, 422, 'to others its code does not exist')
  const { ask } = await agree(person, code)
  assert.match(plain(ask), /Accepter cette commande.*Commande bandama deposit --merchant \d+ --mode \w+ --amount 4321/)
  assert.equal(
    REAL_MONEY.test(ask.text),
    merchant.words.includes('live'),
    'the page of live mode does not make the command live',
  )
  const { code: exit, said } = await ended
  assert.equal(exit, 0, said)
  const [line] = await sql`
    select l.door, s.factor, s.content::jsonb -> 'options' ->> 'amount' as amount
      from audit_log l join step_ups s on s.step_up_id = l.step_up_id
     where l.act = 'balance.deposit' and l.actor = ${person.email}`
  assert.deepEqual(line, { door: 'command_line', factor: 'passkey', amount: '4321' })
})

test('a command that its person refuses in the browser ends at once, says so, and leaves a line in the audit log', async () => {
  const { sql } = installation.db
  const person = await newFinance()
  const env = await terminals.newTerminal()
  await terminals.logIn(person, env)
  for (const words of [['login'], ['deposit', ...merchant.words, '--amount', '17']]) {
    const { code, ended } = await runUntilCode(env, words)
    const { text } = await person.post(PAGE, { code })
    assert.ok(text.includes(`action="${PAGE}/refuse"`))
    const done = await person.post(`${PAGE}/refuse`, { code }, PAGE)
    assert.equal(done.location, '/desk/live/account?done=command_line_refused')
    const { code: exit, said, answer: nothing } = await ended
    assert.deepEqual([exit, nothing], [1, {}])
    assert.match(said, /This was refused in the browser\. Nothing was done\.\n$/)
    assert.equal((await person.post(PAGE, { code })).status, 422, 'nobody can agree to it any more')
  }
  const lines = await sql`
    select act, door, after ->> 'command' as command, step_up_id
      from audit_log
     where actor = ${person.email} and (act = 'command_line.refuse' or act = 'balance.deposit')
     order by at, id`
  const refused = { act: 'command_line.refuse', door: 'console', step_up_id: null }
  assert.deepEqual(
    [...lines],
    [
      { ...refused, command: 'login' },
      { ...refused, command: 'deposit' },
    ],
  )
})

test('a person cannot refuse the request of another person’s command', async () => {
  const person = await newFinance()
  const env = await terminals.newTerminal()
  await terminals.logIn(person, env)
  const { code, ended } = await runUntilCode(env, ['deposit', ...merchant.words, '--amount', '19'])
  const colleague = await newFinance()
  assert.equal((await colleague.post(`${PAGE}/refuse`, { code }, PAGE)).status, 422)
  await agree(person, code)
  assert.equal((await ended).code, 0)
})

test('an expired code is invalid, and the command says that nobody confirmed', async () => {
  const { sql } = installation.db
  const person = await newFinance()
  const env = await terminals.newTerminal()
  const { code, ended } = await runUntilCode(env, ['login'])
  await sql`update sign_in_attempts set expires_at = clock_now() where purpose = 'command_line' and used_at is null`
  assert.equal((await person.post(PAGE, { code })).status, 422)
  const { code: exit, said } = await ended
  assert.equal(exit, 1)
  assert.match(said, /Nobody has agreed within ten minutes/)
  const deposit = await runCommand(env, ['logout'])
  assert.deepEqual(deposit.answer, { signed_out: false })
})

test('if two people confirm one sign-in at once, it belongs to the first', async () => {
  const people = [await newFinance(), await newFinance()]
  const env = await terminals.newTerminal()
  const { code, ended } = await runUntilCode(env, ['login'])
  const asks = await Promise.all(people.map((person) => person.post(PAGE, { code })))
  const pages = await Promise.all(people.map((person, at) => answer(person, code, asks[at]!)))
  assert.deepEqual(pages.map(({ status }) => status).sort(), [303, 422])
  const first = people[pages.findIndex(({ status }) => status === 303)]!
  assert.equal((await ended).answer.email, first.email)
})

test('a person can type ten codes in a minute', async () => {
  const person = await newFinance()
  const statuses = []
  // Two minutes of the clock at most, with ten each.
  for (let typed = 0; typed < 21; typed += 1) statuses.push((await person.post(PAGE, { code: 'BBBB-BBBB' })).status)
  assert.deepEqual([...new Set(statuses)].sort(), [422, 429])
})
