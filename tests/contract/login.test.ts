import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readCaps } from '../../src/payouts/caps/read-caps.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { MerchantRole, StaffRole } from '../../src/values/rights.ts'
import { askHigherCap } from '../harness/caps.ts'
import { logIn, runCommand, runHere } from '../harness/command-line.ts'
import { browse } from '../harness/console.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { newPerson, peopleDeps, type TestPerson } from '../harness/people.ts'
import { openMember } from '../harness/teams.ts'
import { IBAN } from './book.ts'
import { type Collector, newCollector } from './collector.ts'
import { newSender, payout } from './sender.ts'

// People sign in on the command line, and it then acts like they do in the console.

let installation: Installation
let merchant: Collector
let of: string[]
const folders: string[] = []
before(async () => {
  installation = await openInstallation()
  merchant = await newCollector(installation)
  of = ['--merchant', String(merchant.tenant.merchant_id)]
})
after(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
  await installation[Symbol.asyncDispose]()
})

type Terminal = { person: TestPerson; folder: string; env: NodeJS.ProcessEnv }

/** Opens a terminal at which a person has signed in. */
async function signedIn(roles: { roles?: MerchantRole[]; staff_roles?: StaffRole[] }): Promise<Terminal> {
  const { secret_key, address } = installation.services[0]!
  const at = roles.roles === undefined ? {} : { merchant_id: merchant.tenant.merchant_id }
  const deps = peopleDeps(installation.db.sql, { origin: address, secret_key, clock: createClock() })
  const person = await newPerson(deps, { ...at, ...roles })
  const folder = await mkdtemp(join(tmpdir(), 'bandama-login-'))
  folders.push(folder)
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, XDG_CONFIG_HOME: folder, ...databaseSettings(installation.db.url), SECRET_KEY: secret_key }
  await forgetCodes()
  const { code, said } = await logIn(env, person)
  assert.equal(code, 0, said)
  return { person, folder, env }
}

const forgetCodes = () => installation.db.sql`update person_totp set last_step = null`

/** Runs a command that succeeds. */
async function done({ env }: Terminal, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, answer, said } = await runHere(env, words)
  assert.equal(code, 0, `${words.join(' ')}: ${said}`)
  return answer
}

/** Returns the option with a fresh factor: the current code, made valid again. */
async function afresh({ person }: Terminal): Promise<string[]> {
  await forgetCodes()
  return ['--code', person.code()]
}

/** Runs a command that is refused. Returns the sentence. */
async function refusal({ env }: Terminal, ...words: string[]): Promise<string> {
  const { code, said } = await runHere(env, words)
  assert.equal(code, 1, words.join(' '))
  return said
}

const lines = async (email: string): Promise<object[]> => [
  ...(await installation.db.sql`
    select act, door, host(from_address) as from
      from audit_log
     where actor = ${email} and door <> 'console'
     order by at, id`),
]

test('a command acts as the signed-in person, by a token that nobody else can read', async () => {
  const awa = await signedIn({ staff_roles: ['finance'] })
  await done(awa, 'fees', 'set', ...of, '--service', 'payout', '--fixed', '120', ...(await afresh(awa)))
  assert.match(await refusal(awa, 'deposit', ...merchant.words, '--amount', '5', '--as', 'kofi@x.ci'), /signed in as/)
  const own = ['--as', awa.person.email.toUpperCase(), ...(await afresh(awa))]
  await done(awa, 'deposit', ...merchant.words, '--amount', '5', ...own)
  const [file] = await readdir(join(awa.folder, 'bandama'))
  const path = join(awa.folder, 'bandama', file!)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(join(awa.folder, 'bandama'))).mode & 0o777, 0o700)

  const token = (await readFile(path, 'utf8')).trim()
  const inBrowser = await browse(installation.services[0]!.address, `session=${token}`).get('/desk')
  assert.equal(inBrowser.location, '/desk/sign-in', 'it opens no page')
  assert.deepEqual(await done(awa, 'logout'), { signed_out: true })
  assert.deepEqual(await readdir(join(awa.folder, 'bandama')), [])
  assert.deepEqual(await done(awa, 'logout'), { signed_out: false })
  const ofCommand = { door: 'command_line', from: null }
  assert.deepEqual(
    await lines(awa.person.email),
    ['session.open', 'fees.set', 'balance.deposit', 'session.end'].map((act) => ({ act, ...ofCommand })),
  )
})

test('a command is refused without its right, in the staff or at the merchant concerned, and says which role can', async () => {
  const support = await signedIn({ staff_roles: ['support'] })
  assert.match(
    await refusal(support, 'fees', 'set', ...of, '--service', 'payout', '--fixed', '1'),
    /have it: finance\./,
  )
  await done(support, 'payouts', 'stop', ...of)
  const why = await refusal(support, 'payouts', 'resume', ...of)
  assert.match(why, /does not have the right to do this. These roles have it: operations, finance\./)
  await done(support, 'payment', 'list')

  const maker = await signedIn({ roles: ['maker'] })
  const held = async () => ((await merchant.send(payout(100_001))).json() as { id: string }).id
  assert.match(await refusal(maker, 'request', 'reject', '--id', await held()), /have it: owner, approver\./)
  const approver = await signedIn({ roles: ['approver'] })
  const rejected = await done(approver, 'request', 'reject', '--id', await held(), ...(await afresh(approver)))
  assert.equal(rejected.status, 'rejected')
  const elsewhere = await newCollector(installation)
  const theirs = (await elsewhere.send(payout(100_001))).json() as { id: string }
  assert.match(await refusal(approver, 'request', 'reject', '--id', theirs.id), /have it: owner, approver\./)
  assert.match(await refusal(approver, 'request', 'reject', '--id', 'por_nobody'), /have it: owner, approver\./)
  await runHere(support.env, ['logout'])
  const twoPeople = { ...support, env: { ...support.env, XDG_CONFIG_HOME: `${support.folder}/none` } }
  await done(twoPeople, 'payouts', 'resume', ...of, '--as', 'ama@example.com')
  await done(twoPeople, 'payouts', 'resume', ...of, '--as', 'kofi@example.com')
})

test('a payout key of a signed-in person waits for another person, and so does a designation', async () => {
  const owner = await signedIn({ roles: ['owner'] })
  const made = await done(owner, 'key', 'create', ...merchant.words, '--scope', 'payout', ...(await afresh(owner)))
  const key = ['--key-id', String(made.key_id)]
  const call = () => installation.ask({ method: 'GET', path: '/x/payouts', key: String(made.key) })
  assert.equal((await call()).status, 401)
  const own = await refusal(owner, 'key', 'confirm', ...merchant.words, ...key, ...(await afresh(owner)))
  assert.match(own, /Have another person do it/)
  const second = await signedIn({ roles: ['approver'] })
  assert.match(await refusal(second, 'key', 'create', ...merchant.words, '--scope', 'collect'), /owner, developer/)
  const confirmed = await done(second, 'key', 'confirm', ...merchant.words, ...key, ...(await afresh(second)))
  assert.deepEqual(confirmed, { key_id: made.key_id, confirmed: true })
  const account = ['--iban', IBAN, '--name', 'Boutique']
  const { beneficiary_id: id } = await done(owner, 'destination', 'create', ...merchant.words, ...account)
  const designate = ['destination', 'designate', ...merchant.words, '--beneficiary', String(id)]
  assert.equal((await done(owner, ...designate, ...(await afresh(owner)))).status, 'proposed')
  const designated = await installation.db
    .sql`select from beneficiaries where id = ${String(id)} and designated_at is not null`
  assert.equal(designated.length, 0, 'another person confirms it')
})

test('staff who signed in lower a cap at once, and a higher one waits for another person', async () => {
  const { sql } = installation.db
  const [sender, compliance] = [await newSender(installation), await signedIn({ staff_roles: ['compliance'] })]
  const { merchant_id, livemode } = sender.tenant
  const set = (...words: string[]) => ['caps', 'set', ...sender.words, ...words]
  const why = ['--reason', 'Salaires de décembre']
  const send = async () => (await sender.send(payout(60_000))).status
  assert.equal(await send(), 201)
  const lower = [...set('--operation', '50000'), ...why]
  assert.match(
    (await runCommand(compliance.env, lower)).said,
    /Amount: 50.000.F.CFA\n[\s\S]*Cap today: 100.000.F.CFA\n/,
  )
  const lowered = await done(compliance, ...lower, ...(await afresh(compliance)))
  assert.deepEqual(lowered, { cap: 'operation', amount: 50_000, status: 'in_force', proposal_id: null })
  assert.equal(await send(), 202)

  const raise = [...set('--operation', '70000'), ...why]
  const { proposal_id, ...raised } = await done(compliance, ...raise, ...(await afresh(compliance)))
  assert.deepEqual(raised, { cap: 'operation', amount: 70_000, status: 'proposed' })
  assert.equal(await send(), 202, 'the lower cap still holds')
  assert.match(
    await refusal(compliance, ...raise, ...(await afresh(compliance))),
    /already waits for its second person/,
  )
  const page = `/desk/${livemode ? 'live' : 'test'}/caps/${proposal_id}`
  const own = await (await openMember(installation, 'Ama', { staff: ['compliance'] })).confirm(
    `${page}/approve`,
    {},
    page,
  )
  assert.equal(own.done.status, 303)
  assert.equal(await send(), 201)
  const acts = await sql`
    select act, actor = ${compliance.person.email} as own, step_up_id is not null as proven
      from audit_log
     where merchant_id = ${merchant_id} and act like 'caps.%'
     order by at, id`
  assert.deepEqual(
    [...acts],
    [
      { act: 'caps.set', own: true, proven: true },
      { act: 'caps.propose', own: true, proven: true },
      { act: 'caps.approve', own: false, proven: true },
    ],
  )
})

test('another of the staff confirms a higher cap or refuses it with a reason, and sees what it is, who asks and why', async () => {
  const { sql } = installation.db
  const [sender, compliance] = [await newSender(installation), await signedIn({ staff_roles: ['compliance'] })]
  const id = ['--id', await askHigherCap(sql, sender.tenant, 900_000)]
  const list = async () => (await done(compliance, 'caps', 'list', '--mode', mode)).proposals as { id: string }[]
  assert.ok((await list()).some((proposal) => proposal.id === id[1]))
  const { said } = await runCommand(compliance.env, ['caps', 'approve', ...id])
  assert.match(said, /Amount: 900.000.F.CFA\n[\s\S]*Cap: Cap of 24.h\n.*Cap today: 500.000.F.CFA\n/)
  assert.match(said, /Reason: Salaires de décembre\n.*Requested by: aya@example.ci\n/)

  const finance = await signedIn({ staff_roles: ['finance'] })
  for (const verb of [['approve'], ['refuse', '--reason', 'r']]) {
    assert.match(await refusal(finance, 'caps', ...verb, ...id), /These roles have it: compliance\./)
  }
  await assert.rejects(installation.bandama('caps', 'approve', ...id, '--as', 'AYA@example.ci'), /Have another person/)
  const approved = await done(compliance, 'caps', 'approve', ...id, ...(await afresh(compliance)))
  assert.deepEqual([approved.status, approved.decided_by], ['approved', compliance.person.email])
  assert.equal((await readCaps(sql, sender.tenant, readConfig({}))).day, 900_000)
  assert.match(await refusal(compliance, 'caps', 'refuse', ...id, '--reason', 'r'), /already decided/)

  const other = ['--id', await askHigherCap(sql, sender.tenant, 950_000)]
  const refused = await done(compliance, 'caps', 'refuse', ...other, '--reason', 'Envoyez d’abord votre bilan')
  assert.deepEqual([refused.status, refused.refusal_reason], ['refused', 'Envoyez d’abord votre bilan'])
  assert.equal((await readCaps(sql, sender.tenant, readConfig({}))).day, 900_000)
  assert.ok(!(await list()).some((proposal) => proposal.id === id[1] || proposal.id === other[1]))
  assert.match(await refusal(compliance, 'caps', 'refuse', '--id', 'cap_nobody', '--reason', 'r'), /no such higher cap/)
})

test('a change of a cap without the right, of two caps at once or without a reason is refused before a code is asked', async () => {
  const finance = await signedIn({ staff_roles: ['finance'] })
  const set = ['caps', 'set', ...merchant.words, '--day', '400000']
  assert.match(await refusal(finance, ...set), /does not have the right to do this. These roles have it: compliance\./)
  const compliance = await signedIn({ staff_roles: ['compliance'] })
  const mistyped = async (...words: string[]) => {
    const { code, said } = await runCommand(compliance.env, words)
    assert.equal(code, 2)
    return said
  }
  assert.match(await mistyped(...set), /^--reason is missing/)
  assert.match(await mistyped(...set, '--operation', '1', '--reason', 'r'), /^Change one cap at a time/)
  const nowhere = ['caps', 'set', '--merchant', '999999', '--mode', 'test', '--day', '1', '--reason', 'r']
  assert.match(await refusal(compliance, ...nowhere, ...(await afresh(compliance))), /There is no such merchant/)
  await assert.rejects(installation.bandama(...set, '--reason', 'r'), /--reason needs a sign-in/)
})

test('an ended sign-in never turns into break-glass, until the person signs out', async () => {
  const awa = await signedIn({ staff_roles: ['finance'] })
  const { sql } = installation.db
  await sql`
    update person_sessions
       set ended_at = clock_now(), end_reason = 'ended_elsewhere'
     where person_id = ${awa.person.person_id} and door = 'command_line'`
  const deposit = ['deposit', ...merchant.words, '--amount', '7']
  assert.match(await refusal(awa, ...deposit), /Your sign-in has ended/)
  assert.deepEqual(await done(awa, 'logout'), { signed_out: false })
  await done(awa, ...deposit, '--as', 'ama@example.com')
  const [line] = await sql`select actor, door from audit_log where act = 'balance.deposit' order by at desc limit 1`
  assert.deepEqual(line, { actor: 'ama@example.com', door: 'break_glass' })
})

test('login refuses a wrong password and a wrong code, and stores nothing', async () => {
  const awa = await signedIn({ staff_roles: ['finance'] })
  await done(awa, 'logout')
  const login = (...typed: string[]) => runCommand(awa.env, ['login', '--email', awa.person.email], typed)
  const wrong = await login('un autre mot de passe', '000000')
  assert.equal(wrong.code, 1)
  assert.match(wrong.said, /email address or the password is wrong/)
  assert.doesNotMatch(wrong.said, /un autre mot de passe/)
  assert.match((await login(awa.person.password, 'abcdef')).said, /code is wrong/)
  assert.match((await login(awa.person.password)).said, /input ended before the answer/)
  assert.deepEqual(await readdir(join(awa.folder, 'bandama')), [])
})

test('a command that needs a fresh factor refuses none, a wrong one and a used one', async () => {
  const awa = await signedIn({ staff_roles: ['finance', 'support'] })
  const { sql } = installation.db
  const deposit = ['deposit', ...merchant.words, '--amount', '11']
  const count = async () =>
    (await sql`select from audit_log where act = 'balance.deposit' and actor = ${awa.person.email}`).length
  await forgetCodes()
  const code = awa.person.code()
  const wrong = code === '000000' ? '111111' : '000000'
  const silent = await runCommand(awa.env, deposit)
  assert.match(silent.said, /You confirm: deposit[\s\S]*input ended before the answer/)
  assert.match(await refusal(awa, ...deposit, '--code', wrong), /code is wrong\. Nothing was done/)
  assert.equal(await count(), 0)
  const typed = await runCommand(awa.env, deposit, [code])
  assert.equal(typed.code, 0, typed.said)
  assert.match(await refusal(awa, ...deposit, '--code', code), /used already/)
  assert.equal(await count(), 1)
  const [line] = await sql`
    select s.operation, s.content::jsonb -> 'typed' as typed, s.factor, s.used_at is not null as used
      from audit_log a join step_ups s on s.step_up_id = a.step_up_id
     where a.act = 'balance.deposit' and a.actor = ${awa.person.email}`
  const typed_values = { account: 'bank', deposited: 11, reference: null }
  assert.deepEqual(line, { operation: 'balance.deposit', typed: typed_values, factor: 'totp', used: true })
  assert.equal((await runCommand(awa.env, ['payouts', 'stop', ...of])).code, 0, 'a stop asks for none')
  await done(awa, 'logout')
  const nobody = await runCommand(awa.env, [...deposit, '--code', code])
  assert.equal(nobody.code, 2)
  assert.match(nobody.said, /Nobody has signed in/)
  assert.equal(await count(), 1)
})
