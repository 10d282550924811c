import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { CommandContext } from '../../src/cli/command-context.ts'
import { allCommands, findCommand } from '../../src/cli/commands.ts'
import { openCommandContext } from '../../src/cli/open-command-context.ts'
import { readConfig } from '../../src/platform/config.ts'
import { startTwin } from '../../src/twin/start-twin.ts'
import { askHigherCap } from '../harness/caps.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newStatementAccount, writeStatement } from '../harness/statement-accounts.ts'
import { type AnomalyDesk, openAnomalyDesk } from './anomaly-desk.ts'
import { IBAN } from './book.ts'
import { type Collector, newCollector } from './collector.ts'
import { onlyReads, runIn } from './commands-in-process.ts'
import { payout } from './sender.ts'
import { newSettler } from './settler.ts'

// Each act leaves one line, written with it, that nothing changes afterwards.

const AMA = 'ama@example.com'
const KOFI = 'kofi@example.com'

let installation: Installation
let merchant: Collector
let desk: AnomalyDesk
let context: CommandContext
before(async () => {
  installation = await openInstallation({ own: 'changes the schema' })
  merchant = await newCollector(installation)
  desk = openAnomalyDesk(installation, merchant)
  const SECRET_KEY = installation.services[0]!.secret_key
  const env = { ...databaseSettings(installation.db.url), SECRET_KEY, EGRESS_ALLOW: '127.0.0.0/8' }
  context = openCommandContext(readConfig(env), process.stderr)
})
after(async () => {
  await context.close()
  await installation[Symbol.asyncDispose]()
})

const run = (...words: string[]) => runIn(context, words)

type Line = { actor: string; door: string; act: string; subject: string | null; before: unknown; after: unknown }

const lines = () =>
  installation.db.sql<(Line & { merchant_id: number; livemode: boolean | null })[]>`
    select actor, door, act, merchant_id, livemode, subject, before, after from audit_log order by at, id`

const acted = new Set<string>()

/** Runs a command as Ama, or another person, and returns its answer and the one line that it left. */
async function act(words: string[], as = AMA): Promise<{ answer: Record<string, string>; line: Line }> {
  const before = (await lines()).length
  const answer = await run(...words, '--as', as)
  const [line, ...more] = (await lines()).slice(before)
  assert.ok(line !== undefined && more.length === 0, `${words.join(' ')} leaves one line`)
  assert.equal(line.actor, as, words.join(' '))
  assert.equal(line.door, 'break_glass')
  acted.add((await findCommand(words))!.name)
  return { answer, line }
}

test('merchants, keys, fees and caps: each change says how it was and how it is', async () => {
  const { answer } = await act(['merchant', 'create', '--name', 'Maquis'])
  const of = ['--merchant', String(answer.merchant_id)]
  const { line } = await act(['merchant', 'deactivate', ...of])
  assert.deepEqual([line.before, line.after], [{ active: true }, { active: false }])
  await act(['merchant', 'activate', ...of])
  await act(['merchant', 'brand', ...of, '--color', '#0A7D4B'])
  const days = ['--from', '2026-11-01', '--to', '2026-11-30']
  const rebuilt = await act(['listings', 'rebuild', ...of, '--mode', 'live', ...days])
  assert.deepEqual(rebuilt.line.after, { from: '2026-11-01', to: '2026-11-30' })

  const created = await act(['key', 'create', ...of, '--mode', 'live', '--scope', 'payout'])
  const key = ['--key-id', created.answer.key_id!]
  const allowed = await act(['key', 'restrict', ...key, '--allow', '192.0.2.7'])
  assert.deepEqual(allowed.line.before, { allowed_addresses: [] })
  assert.deepEqual(allowed.line.after, { allowed_addresses: ['192.0.2.7/32'] })
  await installation.db.sql`update api_keys set needs_confirmation = true, created_by = ${KOFI}`
  const confirmed = await act(['key', 'confirm', ...of, '--mode', 'live', ...key])
  assert.deepEqual(confirmed.line.before, { created_by: KOFI, confirmed: false })
  await installation.db.sql`update api_keys set needs_confirmation = false`
  assert.equal((await act(['key', 'revoke', ...key])).line.subject, created.answer.key_id)

  await act(['fees', 'set', ...of, '--service', 'payout', '--fixed', '100', '--from', '2990-01-01T00:00:00Z'])
  const later = ['--service', 'payout', '--fixed', '200', '--from', '2991-01-01T00:00:00Z']
  const fees = await act(['fees', 'set', ...of, ...later])
  assert.deepEqual(
    [fees.line.before, fees.line.after].map((terms) => (terms as { fixed: number }).fixed),
    [100, 200],
  )
  await act(['caps', 'set', ...of, '--mode', 'test', '--operation', '9000'])
  const caps = await act(['caps', 'set', ...of, '--mode', 'test', '--day', '20000'])
  assert.deepEqual(caps.line.before, { operation: 9_000, day: null, payment: null })
  assert.deepEqual(caps.line.after, { operation: 9_000, day: 20_000, payment: null })
  const higher = async () => ['--id', await askHigherCap(installation.db.sql, merchant.tenant, 600_000)]
  await act(['caps', 'refuse', ...(await higher()), '--reason', 'No need'])
  await act(['caps', 'approve', ...(await higher())])
})

test('money that a person moves, and the stops and holds on it', async () => {
  await merchant.collect(50_000, { simulate: true })
  const { line } = await act(['deposit', ...merchant.words, '--amount', '900000'])
  assert.deepEqual(line.after, { amount: 900_000, reference: null })
  await act(['transfer', ...merchant.words, '--amount', '1000'])

  const held = async () => (await merchant.send(payout(100_001))).json() as { id: string }
  const approved = await act(['request', 'approve', '--id', (await held()).id])
  assert.deepEqual(approved.line.before, { status: 'pending_approval' })
  await act(['request', 'reject', '--id', (await held()).id])
  const batch = async () =>
    ((await merchant.prepare({ lines: Array.from({ length: 6 }, () => payout(99_000)) })).json() as { id: string }).id
  assert.equal((await act(['batch', 'approve', '--id', await batch()])).line.act, 'payout_batch.approve')
  await act(['batch', 'reject', '--id', await batch()])
  const of = ['--merchant', String(merchant.tenant.merchant_id)]
  await act(['payouts', 'stop', ...of])
  assert.equal((await act(['payouts', 'resume', ...of])).line.act, 'payouts.ask_to_resume')
  assert.equal((await act(['payouts', 'resume', ...of], KOFI)).line.act, 'payouts.resume')
})

test('destinations, floors and settlements', async () => {
  const { words } = merchant
  const account = ['--iban', IBAN, '--name', 'Boutique']
  const created = await act(['destination', 'create', ...words, ...account])
  assert.deepEqual(created.line.after, { account_type: 'bank_account', operator: null, last4: IBAN.slice(-4) })
  const id = created.answer.beneficiary_id!
  const since = ['--since', '2026-01-01T00:00:00Z']
  const { line } = await act(['destination', 'designate', ...words, '--beneficiary', id, ...since])
  const designated_at = '2026-01-01T00:00:00.000Z'
  assert.deepEqual([line.before, line.after], [null, { id, designated_at, since: designated_at }])
  const wallet = ['--msisdn', '0701020304', '--operator', 'wave_ci', '--name', 'Caisse']
  const other = (await act(['destination', 'create', ...words, ...wallet])).answer.beneficiary_id!
  const changed = await act(['destination', 'designate', ...words, '--beneficiary', other])
  assert.deepEqual((changed.line.before as { id: string }).id, id)
  const archived = await act(['beneficiary', 'archive', '--id', other])
  assert.equal((archived.line.before as { active: boolean }).active, true)
  const floor = await act(['settlement', 'set-minimum', ...words, '--amount', '1000'])
  assert.deepEqual([floor.line.before, floor.line.after], [{ minimum: null }, { minimum: 1_000 }])

  const settler = await newSettler(installation)
  const settlement = async () => ((await settler.request(5_000)).json() as { id: string }).id
  const first = await settlement()
  await act(['settlement', 'validate', '--id', first])
  const paid = await act(['settlement', 'pay', '--id', first, '--bank-reference', 'VIR-1'], KOFI)
  assert.deepEqual(paid.line.after, { status: 'paid', amount: 5_000, bank_reference: 'VIR-1' })
  await act(['settlement', 'reject', '--id', await settlement()])
})

test('refunds, anomalies and adjustments', async () => {
  const refund = async () => {
    const payment = await merchant.collect(1_000, { simulate: true })
    return (await act(['refund', 'create', '--payment', payment.id, '--manual'])).answer.refund_id!
  }
  await act(['refund', 'confirm', '--id', await refund(), '--reference', 'R-1'], KOFI)
  await act(['refund', 'cancel', '--id', await refund(), '--reason', 'No longer wanted'], KOFI)

  const { id: subject, anomaly } = await desk.amountMismatch()
  await installation.db
    .sql`update instructions set sent_at = clock_now() - interval '1 day' where subject_id = ${subject}`
  await act(['anomaly', 'open', '--subject', subject, '--reason', 'Silent'])
  await act(['doubt', 'ask', '--id', subject])
  const propose = ['anomaly', 'propose', '--id', anomaly.id, '--resolution', 'nothing', '--reason', 'A test']
  await act(propose)
  await act(['anomaly', 'refuse', '--id', anomaly.id], KOFI)
  await act(propose)
  const { line } = await act(['anomaly', 'approve', '--id', anomaly.id], KOFI)
  assert.deepEqual(line.before, { status: 'proposed' })

  const gesture = ['--direction', 'credit', '--amount', '10', '--against', 'fees', '--reason', 'A gesture']
  const adjustment = async () =>
    (await act(['adjustment', 'propose', ...merchant.words, ...gesture])).answer.adjustment_id!
  await act(['adjustment', 'approve', '--id', await adjustment()], KOFI)
  await act(['adjustment', 'refuse', '--id', await adjustment()], KOFI)
})

test('endpoints, links and pages', async () => {
  const { words } = merchant
  const url = 'http://127.0.0.1:9/hooks?token=of-the-merchant'
  const created = await act(['endpoint', 'create', ...words, '--url', url])
  assert.deepEqual(created.line.after, { origin: 'http://127.0.0.1:9', event_types: [] })
  const endpoint = created.answer.endpoint_id!
  const tested = await act(['endpoint', 'test', '--id', endpoint])
  await act(['event', 'replay', ...words, '--event', tested.answer.event_id!])
  await act(['endpoint', 'disable', ...words, '--endpoint', endpoint])
  await act(['endpoint', 'enable', ...words, '--endpoint', endpoint])
  await act(['endpoint', 'rotate-secret', ...words, '--endpoint', endpoint])

  const link = await act(['link', 'create', ...words, '--amount', '500'])
  await act(['link', 'close', '--id', link.answer.link_id!])
  const { key } = merchant.merchant
  const session = await installation.ask({ method: 'POST', path: '/v1-checkout', key, body: { amount: 500 } })
  await act(['session', 'close', '--id', (session.json() as { id: string }).id])
})

test('people: the roles and factors that they get and lose', async () => {
  const of = ['--merchant', String(merchant.tenant.merchant_id)]
  const invited = await act(['person', 'invite', '--email', 'yao@example.com', ...of, '--role', 'maker'])
  const after = { email: 'yao@example.com', roles: ['maker'], with_link: true }
  assert.deepEqual([invited.line.before, invited.line.after], [{ roles: [] }, after])
  const id = ['--id', invited.answer.person_id!]
  // A role that another person gives in the console waits for a second one.
  await installation.db.sql`
    update person_roles set needs_confirmation = true, break_glass = false, granted_by = ${KOFI}
     where person_id = ${invited.answer.person_id!}`
  const confirmed = await act(['person', 'confirm', ...id, '--role', 'maker', ...of])
  assert.deepEqual(confirmed.line.before, { role: 'maker', granted_by: KOFI })
  const reset = await act(['person', 'reset', ...id])
  assert.deepEqual(reset.line.after, { email: 'yao@example.com', status: 'invited', sessions_ended: 0 })
  const disabled = await act(['person', 'disable', ...id])
  assert.deepEqual(disabled.line.after, { email: 'yao@example.com', status: 'disabled' })
  for (const { answer } of [invited, reset]) {
    const token = answer.link!.split('/').at(-1)!
    assert.ok(token.length === 43 && !JSON.stringify(await lines()).includes(token))
  }
})

test('contracts with operators, and the routes through them', async () => {
  const twin = await startTwin()
  const place = await mkdtemp(join(tmpdir(), 'bandama-contract-'))
  try {
    const settings = join(place, 'settings.json')
    await writeFile(settings, JSON.stringify({ base_url: 'http://127.0.0.1:9', api_token: 'a-token-of-nobody' }))
    const { line } = await act([
      ...['connector', 'set', '--name', 'unused', '--type', 'pawapay'],
      ...['--mode', 'live', '--settings', settings],
    ])
    assert.doesNotMatch(JSON.stringify(line), /a-token-of-nobody/)
    const way = ['--mode', 'live', '--operator', 'mtn_ci', '--direction', 'refund']
    await act(['route', 'set', ...way, '--connectors', 'unused'])
    await act(['route', 'set', ...way, '--connectors', 'none'])
    await act(['connector', 'remove', '--name', 'unused'])
    await writeFile(settings, JSON.stringify(twin.connectors().pawapay!.settings))
    const told = ['connector', 'set', '--name', 'told', '--type', 'pawapay', '--mode', 'live', '--settings', settings]
    await act(told)
    const told_balance = ['connector', 'balance', '--name', 'told']
    const asked_at = (await run(...told_balance)).asked_at as unknown as Date
    const accepted = await act([...told_balance, '--accept', asked_at.toISOString()])
    const { amount } = accepted.answer
    assert.equal(accepted.line.act, 'connector.accept_balance')
    assert.deepEqual(accepted.line.after, { amount, difference: null })
  } finally {
    await twin.close()
    await rm(place, { recursive: true })
  }
})

test('an incident that a person opens and ends, and a statement that a person brings, say whose they are', async () => {
  const opened = await act(['incident', 'open', '--title', 'The operator answers nothing'])
  const { line } = await act(['incident', 'end', '--id', opened.answer.incident_id!])
  assert.deepEqual([opened.line.subject, line.subject], Array(2).fill(opened.answer.incident_id))
  const account = await newStatementAccount(installation.db.sql, merchant.tenant.livemode)
  const file = await writeStatement()
  const mode = merchant.tenant.livemode ? 'live' : 'test'
  const brought = await act(['reconcile', 'import', '--account', account, '--mode', mode, '--file', file])
  assert.equal(brought.line.subject, brought.answer.file_id)
  await rm(dirname(file), { recursive: true })
})

test('every command either only reads, or takes --as, asks for a right and leaves its line', async () => {
  const all = (await allCommands()).flatMap(({ commands }) => commands)
  const acting = all.filter(({ name }) => !onlyReads(name))
  // They act as the person who signs in and out: login.test.ts reads their lines.
  const own = ['login', 'logout']
  assert.deepEqual(
    acting.filter(({ options, right }) => !('as' in options) || right === undefined).map(({ name }) => name),
    own,
  )
  assert.deepEqual(
    // acts.test.ts reads the line of each declared act.
    acting.filter(({ act, name }) => act === undefined && !acted.has(name)).map(({ name }) => name),
    own,
  )
})

test('without --as the line names the user of the machine; a key, the service or an expiry is no person', async () => {
  await run('caps', 'set', ...merchant.words, '--operation', '100000')
  assert.match((await lines()).at(-1)!.actor, /^host:\w/)
  for (const nobody of ['key:K1', 'system', ' SYSTEM', 'time', 'schedule']) {
    await assert.rejects(run('caps', 'set', ...merchant.words, '--day', '1', '--as', nobody), /--as must name a person/)
  }
})

test('an act that is refused or changes nothing leaves no line', async () => {
  const before = (await lines()).length
  const unknown = ['--merchant', '987654', '--mode', 'test']
  await assert.rejects(run('caps', 'set', ...unknown, '--day', '1'))
  await assert.rejects(run('deposit', ...unknown, '--amount', '1'))
  await run('merchant', 'activate', '--merchant', String(merchant.tenant.merchant_id))
  assert.equal((await lines()).length, before)
})

test('an act is not done if its line cannot be written', async () => {
  const { sql } = installation.db
  const balances = await merchant.balances()
  await sql.unsafe(`
    create function refuse_line() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`)
  await sql.unsafe('create trigger refuse_line before insert on audit_log for each row execute function refuse_line()')
  try {
    await assert.rejects(run('deposit', ...merchant.words, '--amount', '1'), /no room/)
    await assert.rejects(run('merchant', 'create', '--name', 'Unwritten'), /no room/)
  } finally {
    await sql.unsafe('drop trigger refuse_line on audit_log')
  }
  assert.deepEqual(await merchant.balances(), balances)
  assert.deepEqual(await sql`select from merchants where name = 'Unwritten'`, [])
})

test('the database refuses to change, delete or truncate a line, for every user', async () => {
  const { sql } = installation.db
  await assert.rejects(sql`update audit_log set actor = 'issa'`, /append-only/)
  await assert.rejects(sql`delete from audit_log`, /append-only/)
  await assert.rejects(sql.unsafe('truncate audit_log'), /append-only/)
})

test('no line holds a secret, a whole number or a whole account', async () => {
  const everything = JSON.stringify(await lines())
  for (const hidden of [IBAN, IBAN.slice(4), '0701020304', 'of-the-merchant', 'whsec_', 'bdm_sk_']) {
    assert.ok(!everything.includes(hidden), hidden)
  }
  const keys = await installation.db.sql<{ url: string }[]>`select url from endpoints`
  assert.ok(keys.length > 0 && everything.includes('0304'), 'there was something to hide, and its end is shown')
})

test('bandama audit-log list shows the newest lines first, of all merchants or of one', async () => {
  const other = await newCollector(installation)
  await act(['deposit', ...other.words, '--amount', '7'], KOFI)
  type Listed = Line & { id: string; at: string; merchant_id: number | null; livemode: boolean | null }
  const list = async (...words: string[]) =>
    (await installation.bandama('audit-log', 'list', ...words)).acts as unknown as Listed[]
  const [newest] = await list('--limit', '1')
  const { merchant_id } = other.tenant
  assert.deepEqual(
    { ...newest, id: undefined, at: undefined, subject: undefined },
    {
      ...{ actor: KOFI, door: 'break_glass', from_address: null, step_up_id: null },
      ...{ act: 'balance.deposit', merchant_id, livemode: false },
      ...{ before: null, after: { amount: 7, reference: null }, id: undefined, at: undefined, subject: undefined },
    },
  )
  const own = await list('--merchant', String(merchant_id))
  assert.ok(own.every((line) => line.merchant_id === merchant_id))
  const names = ['balance.deposit', 'key.create', 'key.create', 'merchant.create']
  assert.deepEqual(own.map(({ act: name }) => name).sort(), names)
  const times = (await list()).map(({ at }) => at)
  assert.equal(times.length, 50)
  assert.deepEqual(times, times.toSorted().reverse())
})
